#if !canImport(Darwin)
import Foundation

// MARK: Types of stores

/// The type of stores in Core Data's SQLite format.
public let NSSQLiteStoreType = StoreType.sqlite.rawValue
/// The type of stores in Core Data's XML format.
public let NSXMLStoreType = StoreType.xml.rawValue
/// The type of stores that keep packed rows in one file, which is always written as a whole. Core Data's
/// binary stores have the same name but another format.
public let NSBinaryStoreType = StoreType.binary.rawValue
/// The type of stores that exist only in memory and end with the process.
public let NSInMemoryStoreType = StoreType.inMemory.rawValue

// MARK: Options of stores

/// Whether a store that was written with another version of the model is migrated; a Boolean. The same
/// as `StoreOption.migratesAutomatically`.
public let NSMigratePersistentStoresAutomaticallyOption =
    "NSMigratePersistentStoresAutomaticallyOption"
/// Whether the mapping of a migration is inferred; a Boolean. The same as
/// `StoreOption.infersMappingModel`.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// Whether a migration leaves out work that takes long and that no object needs; a Boolean. The same as
/// `StoreOption.defersMigrationCleanup`.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// The stages with which a store of another version is migrated; an ``NSStagedMigrationManager``. Stores are only
/// migrated if ``NSMigratePersistentStoresAutomaticallyOption`` is `true` as well.
public let NSPersistentStoreStagedMigrationManagerOptionKey =
    "NSPersistentStoreStagedMigrationManagerOptionKey"
/// Whether the store is read-only; a Boolean. The same as `StoreOption.readOnly`.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// How many seconds to wait until other users of the store release it; a number. The same as
/// `StoreOption.timeout`. Refused by engines that do not wait.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// The pragmas of a SQLite store; a dictionary of strings. Supports `synchronous` (`FULL` or `NORMAL`)
/// and `journal_mode` (only `WAL`, which is always used). Other pragmas are refused. Other engines
/// refuse this option.
public let NSSQLitePragmasOption = StoreOption.sqlitePragmas.rawValue
/// The protection of a store's file. Only `FileProtectionType.none` is accepted, because Linux cannot
/// protect single files.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
/// Whether the store keeps a history of its saves; a Boolean. The same as `StoreOption.tracksHistory`.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// Whether the coordinator posts a notification for each new state of the store, including states that
/// other processes saved; a Boolean. The same as `StoreOption.postsRemoteChanges`.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
    "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// Whether a SQLite store is analyzed when it is added; a Boolean. Only `false` is accepted.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// Whether a SQLite store is vacuumed when it is added; a Boolean. Only `false` is accepted.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// Whether the model is not compared with the store's model; a Boolean. Only `false` is accepted.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"

// MARK: Merge policies

/// A policy of type `MergePolicyType.error`.
public let NSErrorMergePolicy = StandardMergePolicy(.error)
/// A policy of type `MergePolicyType.mergeByPropertyStoreTrump`.
public let NSMergeByPropertyStoreTrumpMergePolicy = StandardMergePolicy(.mergeByPropertyStoreTrump)
/// A policy of type `MergePolicyType.mergeByPropertyObjectTrump`.
public let NSMergeByPropertyObjectTrumpMergePolicy =
    StandardMergePolicy(.mergeByPropertyObjectTrump)
/// A policy of type `MergePolicyType.overwrite`.
public let NSOverwriteMergePolicy = StandardMergePolicy(.overwrite)
/// A policy of type `MergePolicyType.rollback`.
public let NSRollbackMergePolicy = StandardMergePolicy(.rollback)

// MARK: Notifications and the keys of their user info

extension Notification.Name {
    /// The same as `ManagedObjectContext.didChangeObjectsNotification`.
    public static var NSManagedObjectContextObjectsDidChange: Notification.Name {
        ManagedObjectContext.didChangeObjectsNotification
    }

    /// The same as `ManagedObjectContext.willSaveObjectsNotification`.
    public static var NSManagedObjectContextWillSave: Notification.Name {
        ManagedObjectContext.willSaveObjectsNotification
    }

    /// The same as `ManagedObjectContext.didSaveObjectsNotification`.
    public static var NSManagedObjectContextDidSave: Notification.Name {
        ManagedObjectContext.didSaveObjectsNotification
    }

    /// The same as `PersistentStoreCoordinator.remoteChangeNotification`.
    public static var NSPersistentStoreRemoteChange: Notification.Name {
        PersistentStoreCoordinator.remoteChangeNotification
    }
}

/// Objects that were inserted.
public let NSInsertedObjectsKey = ManagedObjectContext.NotificationKey.insertedObjects.rawValue
/// Objects whose values or relationships changed.
public let NSUpdatedObjectsKey = ManagedObjectContext.NotificationKey.updatedObjects.rawValue
/// Objects that were deleted.
public let NSDeletedObjectsKey = ManagedObjectContext.NotificationKey.deletedObjects.rawValue
/// Objects that were refreshed.
public let NSRefreshedObjectsKey = ManagedObjectContext.NotificationKey.refreshedObjects.rawValue
/// Objects that lost their values.
public let NSInvalidatedObjectsKey =
    ManagedObjectContext.NotificationKey.invalidatedObjects.rawValue
/// `true` if the context removed all of its objects.
public let NSInvalidatedAllObjectsKey = ManagedObjectContext.NotificationKey.invalidatedAllObjects
    .rawValue
/// The identifier of a store that has a new state; a string.
public let NSStoreUUIDKey = PersistentStoreCoordinator.NotificationKey.storeUUID.rawValue
/// The URL of that store's file. Absent if the store is not a file.
public let NSPersistentStoreURLKey = PersistentStoreCoordinator.NotificationKey.storeURL.rawValue
/// The new state of that store; a `PersistentHistoryToken`.
public let NSPersistentHistoryTokenKey = PersistentStoreCoordinator.NotificationKey.historyToken
    .rawValue

// MARK: The keys of an error's user info

/// The errors that make up a failure; an array of `NSError`. Contains an error for each broken rule, or
/// for each store that could not be opened.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The object that breaks a rule; an `ObjectID`.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The name of the property that breaks a rule; a string.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The requirement of the broken rule; a string.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The stores that an error concerns; an array. Contains a `URL` for a store with a file or of a
/// service, and the name of an in-memory store.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The objects that an error concerns; an array of `ObjectID`.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// The conflicts of a save; an array of `MergeConflict` or `ConstraintConflict`.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// The error code of the SQLite library; an integer.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"
/// The version hashes by entity name, in the dictionary for the key `metadata`.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
#endif
