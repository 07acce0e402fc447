# `cmake --install build --prefix DIR`: the program, its man page, shell completions, the models and the docs.
# Completions are written by the program itself, from its table of options.
set(completions "${CMAKE_BINARY_DIR}/completions")
set(completion_files "")
foreach(shell bash zsh fish)
  add_custom_command(
    OUTPUT "${completions}/faultline.${shell}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${completions}"
    COMMAND faultline completions ${shell} > "${completions}/faultline.${shell}"
    DEPENDS faultline
    COMMENT "completions for ${shell}"
    VERBATIM)
  list(APPEND completion_files "${completions}/faultline.${shell}")
endforeach()
add_custom_target(completions ALL DEPENDS ${completion_files})

install(TARGETS faultline RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/docs/faultline.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES "${completions}/faultline.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME faultline)
install(FILES "${completions}/faultline.zsh" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" RENAME _faultline)
install(FILES "${completions}/faultline.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/models" DESTINATION "${CMAKE_INSTALL_DATADIR}/faultline")
install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${PROJECT_SOURCE_DIR}/LICENSE"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/" DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs" FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
