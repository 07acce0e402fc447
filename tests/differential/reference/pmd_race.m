-- models/reference/pmd_race.fl once more, in Murphi, written from that model's text and sharing nothing with Faultline.
-- Each rule is one step; labels as there. The constants are set by the script `run`; what they mean stands in pmd_race.pml.
const
  THREADS: 2;
  GUARD: 2;
  LOOK: 2;
  RECHECK: 1;
  ZAP: 1;

type
  thread: 1 .. THREADS;
  entry: enum { none, table, huge, splitting };
  label: enum { L0, L1, L2, L3, L4, L5, L6, L7, L8, L9, L10 };

var
  pmd: entry;
  page_table_lock: boolean;
  written: boolean;                    -- mmap_sem
  readers: 0 .. THREADS + 2;
  -- a page fault: F0 F1 A0 A1 A2 A3 A4 C0 M0 M1 U0 are L0 .. L10
  fault: array [thread] of label;
  fresh: array [thread] of boolean;
  -- K0 .. K9, T0 .. T6, S0 .. S4, Z0 .. Z5 by number
  khugepaged, huge_fault, splitter, zap: label;

function first_label(): label;
begin
  if GUARD = 0 then return L2; else return L1; end;
end;

function behind_allocation(): label;
begin
  if LOOK = 0 then return L8; else return L7; end;
end;

function needs_table(): boolean;
begin
  switch pmd
  case none: return true;
  case splitting: return GUARD = 1;
  else return false;
  end;
end;

function sent_back(): boolean;
begin
  switch pmd
  case none: return LOOK >= 2;
  case table: return false;
  case huge: return true;
  case splitting: return LOOK != 3;
  end;
end;

startstate
begin
  pmd := none;
  page_table_lock := false;
  written := false;
  readers := 0;
  for t: thread do
    fault[t] := L0;
    fresh[t] := false;
  end;
  khugepaged := L0;
  huge_fault := L0;
  splitter := L0;
  zap := L0;
end;

ruleset t: thread do
  rule "F0" fault[t] = L0 & !written ==> begin readers := readers + 1; fault[t] := first_label(); end;
  rule "F1" fault[t] = L1 ==> begin fault[t] := needs_table() ? L2 : behind_allocation(); end;
  rule "A0" fault[t] = L2 ==> begin fresh[t] := true; fault[t] := L3; end;
  rule "A1" fault[t] = L3 & !page_table_lock ==> begin page_table_lock := true; fault[t] := L4; end;
  rule "A2" fault[t] = L4 ==>
  begin
    if RECHECK = 0 then assert "a populated pmd is overwritten" pmd = none; end;
    if pmd = none then
      pmd := table;
      fresh[t] := false;
    end;
    fault[t] := L5;
  end;
  rule "A3" fault[t] = L5 ==> begin page_table_lock := false; fault[t] := L6; end;
  rule "A4" fault[t] = L6 ==> begin fresh[t] := false; fault[t] := behind_allocation(); end;
  rule "C0" fault[t] = L7 ==> begin fault[t] := sent_back() ? L10 : L8; end;
  rule "M0" fault[t] = L8 ==> begin assert "not a page table" pmd = table; fault[t] := L9; end;
  rule "M1" fault[t] = L9 ==> begin assert "the page table is gone" pmd = table; fault[t] := L10; end;
  rule "U0" fault[t] = L10 ==> begin readers := readers - 1; fault[t] := L0; end;
end;

rule "K0" khugepaged = L0 & !written & readers = 0 ==> begin written := true; khugepaged := L1; end;
rule "K1" khugepaged = L1 ==> begin khugepaged := pmd = table ? L2 : L9; end;
rule "K2" khugepaged = L2 & !page_table_lock ==> begin page_table_lock := true; khugepaged := L3; end;
rule "K3" khugepaged = L3 ==> begin pmd := none; khugepaged := L4; end;
rule "K4" khugepaged = L4 ==> begin page_table_lock := false; khugepaged := L5; end;
rule "K5" khugepaged = L5 ==> begin khugepaged := L6; end;
rule "K6" khugepaged = L6 & !page_table_lock ==> begin page_table_lock := true; khugepaged := L7; end;
rule "K7" khugepaged = L7 ==> begin assert "the pmd is populated" pmd = none; pmd := huge; khugepaged := L8; end;
rule "K8" khugepaged = L8 ==> begin page_table_lock := false; khugepaged := L9; end;
rule "K9" khugepaged = L9 ==> begin written := false; khugepaged := L0; end;

rule "T0" huge_fault = L0 & !written ==> begin readers := readers + 1; huge_fault := L1; end;
rule "T1" huge_fault = L1 ==> begin huge_fault := pmd = none ? L2 : L6; end;
rule "T2" huge_fault = L2 ==> begin huge_fault := L3; end;
rule "T3" huge_fault = L3 & !page_table_lock ==> begin page_table_lock := true; huge_fault := L4; end;
rule "T4" huge_fault = L4 ==> begin if pmd = none then pmd := huge; end; huge_fault := L5; end;
rule "T5" huge_fault = L5 ==> begin page_table_lock := false; huge_fault := L6; end;
rule "T6" huge_fault = L6 ==> begin readers := readers - 1; huge_fault := L0; end;

rule "S0" splitter = L0 & !page_table_lock ==> begin page_table_lock := true; splitter := L1; end;
rule "S1" splitter = L1 ==>
begin
  if pmd = huge then
    pmd := splitting;
    splitter := L2;
  else
    splitter := L4;
  end;
end;
rule "S2" splitter = L2 ==> begin splitter := L3; end;
rule "S3" splitter = L3 ==> begin pmd := table; splitter := L4; end;
rule "S4" splitter = L4 ==> begin page_table_lock := false; splitter := L0; end;

rule "Z0" ZAP = 1 & zap = L0 & !written ==> begin readers := readers + 1; zap := L1; end;
rule "Z1" zap = L1 ==> begin zap := (pmd = huge | pmd = splitting) ? L2 : L5; end;
rule "Z2" zap = L2 & !page_table_lock ==> begin page_table_lock := true; zap := L3; end;
rule "Z3" zap = L3 ==> begin if pmd = huge then pmd := none; end; zap := L4; end;
rule "Z4" zap = L4 ==> begin page_table_lock := false; zap := L5; end;
rule "Z5" zap = L5 ==> begin readers := readers - 1; zap := L0; end;

invariant "nobody maps a table with a page of his own left over"
  forall t: thread do fault[t] = L7 | fault[t] = L8 | fault[t] = L9 | fault[t] = L10 -> !fresh[t] end;
