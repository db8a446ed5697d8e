// Core Data's constants for store options, without the prefix NS. Their values are the same as in Core
// Data, so constants and strings can be mixed. Unsupported options are refused: see ``StoreOption``.

/// Whether a store that was written with another version of the model is migrated; a Boolean. The same
/// as ``StoreOption/migratesAutomatically``.
public let MigratePersistentStoresAutomaticallyOption =
    "NSMigratePersistentStoresAutomaticallyOption"
/// Whether the mapping of a migration is inferred; a Boolean. The same as
/// ``StoreOption/infersMappingModel``.
public let InferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// Whether the store is read-only; a Boolean. The same as ``StoreOption/readOnly``.
public let ReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// How many seconds to wait until other users of the store release it; a number. The same as
/// ``CairnStore/StoreOption/timeout``. Refused by engines that do not wait.
public let PersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// The pragmas of a SQLite store; a dictionary of strings. Supports `synchronous` (`FULL` or `NORMAL`)
/// and `journal_mode` (only `WAL`, which is always used). Other pragmas are refused. Other engines
/// refuse this option.
public let SQLitePragmasOption = "NSSQLitePragmasOption"
/// The protection of a store's file. Only `FileProtectionType.none` is accepted, because Linux cannot
/// protect single files.
public let PersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
/// Whether a history of saves is kept; a Boolean. Only `false` is accepted, because no history is kept.
public let PersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// Whether the coordinator posts a notification for each new state of the store, including states that
/// other processes saved; a Boolean. The same as ``StoreOption/postsRemoteChanges``.
public let PersistentStoreRemoteChangeNotificationPostOptionKey =
    "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// Whether a SQLite store is analyzed when it is added; a Boolean. Only `false` is accepted.
public let SQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// Whether a SQLite store is vacuumed when it is added; a Boolean. Only `false` is accepted.
public let SQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// Whether the model is not compared with the store's model; a Boolean. Only `false` is accepted.
public let IgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"

// Core Data's constants for the user info of ``PersistentStoreCoordinator/remoteChangeNotification``.

/// The identifier of the store; a string.
public let StoreUUIDKey = "NSStoreUUID"
/// The URL of the store's file. Absent if the store is not a file.
public let PersistentStoreURLKey = "storeURL"
/// The new state of the store; a ``PersistentHistoryToken``.
public let PersistentHistoryTokenKey = "historyToken"
