// The only file that sees ANTLR: lexing, parsing with an error strategy of ours (dsl/parse_strategy.hpp), and ANTLR's
// tree turned into ours (dsl/parse_build.hpp). Between lexer and parser the token list is put in order
// (dsl/parse_tokens.hpp).
#include "dsl/parse.hpp"

#include <antlr4-runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "FaultlineLexer.h"
#include "FaultlineParser.h"
#include "dsl/parse_build.hpp"
#include "dsl/parse_strategy.hpp"
#include "dsl/parse_tokens.hpp"

namespace faultline::dsl {
namespace {

using Lexer = gen::FaultlineLexer;

// ---------------------------------------------------------------- lexing

LexemeKind kind_of(std::size_t type) {
  switch (type) {
    case Lexer::ID: return LexemeKind::identifier;
    case Lexer::INT: return LexemeKind::integer;
    case Lexer::STRING: return LexemeKind::string;
    case Lexer::OPEN_STRING: return LexemeKind::open_string;
    case Lexer::BAD_NUMBER: return LexemeKind::bad_number;
    case Lexer::C_OPERATOR: return LexemeKind::c_operator;
    case Lexer::UNKNOWN: return LexemeKind::unknown;
    default: return LexemeKind::literal;
  }
}

std::uint32_t indent_of(std::string_view line) {
  std::uint32_t column = 0;
  for (const char c : line) {
    if (c == '\t') {
      column = (column / 8 + 1) * 8;
    } else if (c == ' ') {
      ++column;
    } else {
      break;
    }
  }
  return column;
}

// Lexes the text up to `end`, or one token more than any model has.
std::vector<Lexeme> lex(const SourceFile& source, std::size_t end) {
  const std::string_view text = source.text().substr(0, end);
  std::vector<std::uint32_t> bytes;  // of each code point, since ANTLR counts those
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) bytes.push_back(static_cast<std::uint32_t>(i));
  }
  bytes.push_back(static_cast<std::uint32_t>(text.size()));
  antlr4::ANTLRInputStream input{std::string(text)};
  Lexer lexer(&input);
  lexer.removeErrorListeners();
  std::vector<Lexeme> out;
  std::uint32_t line = 0;
  for (auto token = lexer.nextToken(); token->getType() != antlr4::Token::EOF; token = lexer.nextToken()) {
    Lexeme lexeme;
    lexeme.kind = kind_of(token->getType());
    lexeme.begin = bytes[token->getStartIndex()];
    lexeme.end = bytes[token->getStopIndex() + 1];
    lexeme.text = text.substr(lexeme.begin, lexeme.end - lexeme.begin);
    lexeme.line = static_cast<std::uint32_t>(token->getLine());
    lexeme.leads = lexeme.line != line;
    lexeme.indent = lexeme.leads ? indent_of(source.line(lexeme.line)) : out.back().indent;
    line = lexeme.line;
    out.push_back(lexeme);
    if (out.size() > most_tokens) break;
  }
  return out;
}

// ---------------------------------------------------------------- putting it together

std::unique_ptr<antlr4::ListTokenSource> token_source(const std::vector<Lexeme>& lexemes,
                                                      const antlr4::dfa::Vocabulary& vocabulary, std::size_t types) {
  std::unordered_map<std::string, std::size_t> literals;
  for (std::size_t type = 1; type <= types; ++type) {
    const std::string quoted = vocabulary.getLiteralName(type);
    if (quoted.size() > 2) literals.emplace(quoted.substr(1, quoted.size() - 2), type);
  }
  std::vector<std::unique_ptr<antlr4::Token>> tokens;
  tokens.reserve(lexemes.size() + 1);
  for (const Lexeme& lexeme : lexemes) {
    std::string text(lexeme.text);
    std::size_t type = Lexer::ID;
    if (lexeme.kind == LexemeKind::integer) type = Lexer::INT;
    if (lexeme.kind == LexemeKind::string) type = Lexer::STRING;
    if (lexeme.kind == LexemeKind::literal) {
      const auto found = literals.find(text);
      type = Lexer::C_ONLY;
      if (found != literals.end()) type = found->second;
    }
    auto token = std::make_unique<antlr4::CommonToken>(type, text);
    token->setLine(lexeme.line);
    tokens.push_back(std::move(token));
  }
  tokens.push_back(std::make_unique<antlr4::CommonToken>(antlr4::Token::EOF, "<EOF>"));
  return std::make_unique<antlr4::ListTokenSource>(std::move(tokens));
}

// From tokens to the tree.
File parse_tokens(std::vector<Lexeme> lexed, const SourceFile& source, Diagnostics& diagnostics) {
  const std::optional<std::vector<Lexeme>> lexemes = prepare(std::move(lexed), source, diagnostics);
  if (!lexemes || lexemes->empty()) return {};
  Lexer vocabulary_of(nullptr);
  const auto tokens = token_source(*lexemes, vocabulary_of.getVocabulary(), Lexer::UNKNOWN);
  antlr4::CommonTokenStream stream(tokens.get());
  Parser parser(&stream);
  parser.removeErrorListeners();
  parser.setErrorHandler(std::make_shared<Strategy>(*lexemes, source, diagnostics));
  auto* plain = parser.getInterpreter<antlr4::atn::ParserATNSimulator>();
  parser.setInterpreter(new Chooser(&parser, *plain, *lexemes));  // owned by the parser
  DepthGuard guard;
  parser.addParseListener(&guard);
  try {
    Parser::FileContext* tree = parser.file();
    if (guard.too_high()) throw TooDeep{*guard.too_high()};
    return Builder(*lexemes, source, diagnostics).file(tree);
  } catch (const TooDeep& deep) {
    const Lexeme& lexeme = (*lexemes)[std::min(deep.token, lexemes->size() - 1)];
    Diagnostic d{Severity::error, "FL0109", source.span(lexeme.begin, lexeme.end), "this is nested too deeply"};
    d.notes.push_back("statements, operators and `else if` chains may nest about 250 deep");
    diagnostics.add(std::move(d));
  } catch (const TooMany&) {  // said by parse()
  }
  return {};
}

// A file with more tokens than any model has. If it is one that nests without end, that is the better message.
Diagnostic too_long(std::vector<Lexeme> lexed, const SourceFile& source) {
  const Lexeme last = lexed.back();
  lexed.resize(most_tokens / 20);
  Diagnostics found;
  static_cast<void>(parse_tokens(std::move(lexed), source, found));
  for (Diagnostic& d : found.sorted()) {
    if (d.code == "FL0109") return d;
  }
  Diagnostic d{Severity::error, "FL0103", source.span(last.begin, last.end), "this file is too long for a model"};
  d.notes.push_back(fmt::format("at most {} words and signs are read", most_tokens));
  return d;
}

File parse_all(const SourceFile& source, Diagnostics& diagnostics) {
  if (const std::size_t bad = first_bad_byte(source.text()); bad != std::string_view::npos) {
    diagnostics.add({Severity::error, "FL0105", source.span(bad, bad + 1), "this byte is not UTF-8"});
    return {};
  }
  std::size_t end = source.text().size();
  if (const std::optional<std::size_t> open = unclosed_comment(source.text())) {
    Diagnostic d{Severity::error, "FL0107", source.span(end, end), "the file ends inside a comment"};
    d.related.push_back({source.span(*open, *open + 2), "opened here"});
    d.helps.push_back("close it with `*/`");
    diagnostics.add(std::move(d));
    end = *open;
  }
  std::vector<Lexeme> lexed = lex(source, end);
  if (lexed.size() > most_tokens) {
    diagnostics.add(too_long(std::move(lexed), source));
    return {};
  }
  if (lexed.empty()) {
    if (end == source.text().size()) {
      Diagnostic d{Severity::error, "FL0104", source.span(0, 0), "there is no model in this file"};
      d.notes.push_back("it holds only blanks and comments");
      d.helps.push_back("begin with `model NAME;`");
      diagnostics.add(std::move(d));
    }
    return {};
  }
  if (end < source.text().size()) lexed.back().damaged = true;
  return parse_tokens(std::move(lexed), source, diagnostics);
}

}  // namespace

File parse(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics) {
  Diagnostics found;
  File tree = parse_all(sources[file], found);
  std::size_t errors = 0;
  for (Diagnostic& diagnostic : found.sorted()) {
    if (++errors > most_errors) {
      diagnostics.add({Severity::error, "FL0199", diagnostic.span,
                       fmt::format("more than {} errors: the rest is not shown", most_errors)});
      break;
    }
    diagnostics.add(std::move(diagnostic));
  }
  return tree;
}

}  // namespace faultline::dsl
