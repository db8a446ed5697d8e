struct HistoryTables {}
