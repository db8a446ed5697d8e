// Core Data's constants for store types, without the prefix NS.

/// The type of stores in Core Data's SQLite format.
public let SQLiteStoreType = "SQLite"
/// The type of stores in Core Data's XML format.
public let XMLStoreType = "XML"
/// The type of stores that keep packed rows in one file, which is always written as a whole. Core Data's
/// binary stores have the same name but another format.
public let BinaryStoreType = "Binary"
/// The type of stores that exist only in memory and end with the process.
public let InMemoryStoreType = "InMemory"
