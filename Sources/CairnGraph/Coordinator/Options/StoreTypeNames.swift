// Core Data's constants for the types of stores, without the prefix NS.

/// The name of Core Data's SQLite format.
public let SQLiteStoreType = "SQLite"
/// The name of Core Data's XML format.
public let XMLStoreType = "XML"
/// The name of the format of packed rows in one file, written as a whole. Core Data's binary stores are
/// another format of the same name.
public let BinaryStoreType = "Binary"
/// The name of stores that end with the process.
public let InMemoryStoreType = "InMemory"
