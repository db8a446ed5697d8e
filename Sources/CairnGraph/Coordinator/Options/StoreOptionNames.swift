// Core Data's constants for store options, without the prefix NS. Their values are Core Data's, so the
// constants and the strings may be mixed. What is not honoured is refused: see ``StoreOption``.

/// Whether a store of another version of the model is migrated; a Boolean. The same as
/// ``StoreOption/migratesAutomatically``.
public let MigratePersistentStoresAutomaticallyOption =
    "NSMigratePersistentStoresAutomaticallyOption"
/// Whether the mapping of a migration is inferred; a Boolean. The same as
/// ``StoreOption/infersMappingModel``.
public let InferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// Whether the store is opened for reading; a Boolean. The same as ``StoreOption/readOnly``.
public let ReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// How many seconds to wait for others to leave the store; a number. The same as
/// ``CairnStore/StoreOption/timeout``; refused by engines that do not wait.
public let PersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// Pragmas of a SQLite store, a dictionary of texts. Takes `synchronous` (`FULL` or `NORMAL`) and
/// `journal_mode` (only `WAL`, which is always used); any other pragma is refused. Other engines refuse
/// the option.
public let SQLitePragmasOption = "NSSQLitePragmasOption"
/// The protection of a store's file. Only `FileProtectionType.none` is accepted, because Linux does not
/// protect single files.
public let PersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
/// Whether a history of saves is kept; a Boolean. Only `false` is accepted: no history is kept.
public let PersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// Whether the coordinator posts a notification for each new state of the store, those that other
/// processes saved included; a Boolean. The same as ``StoreOption/postsRemoteChanges``.
public let PersistentStoreRemoteChangeNotificationPostOptionKey =
    "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// Whether a SQLite store is analyzed when it is added; a Boolean. Only `false` is accepted.
public let SQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// Whether a SQLite store is vacuumed when it is added; a Boolean. Only `false` is accepted.
public let SQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// Whether the versions of model and store are not compared; a Boolean. Only `false` is accepted.
public let IgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"

// Core Data's constants for what ``PersistentStoreCoordinator/remoteChangeNotification`` has.

/// The identifier of the store; a text.
public let StoreUUIDKey = "NSStoreUUID"
/// The URL of the store's file. Absent if the store is no file.
public let PersistentStoreURLKey = "storeURL"
/// The new state of the store; a ``PersistentHistoryToken``.
public let PersistentHistoryTokenKey = "historyToken"
