import Foundation

// Core Data's constants for the notifications of contexts, without the prefix NS.

extension Notification.Name {
    /// The same as ``ManagedObjectContext/didChangeObjectsNotification``.
    public static var ManagedObjectContextObjectsDidChange: Notification.Name {
        ManagedObjectContext.didChangeObjectsNotification
    }

    /// The same as ``ManagedObjectContext/willSaveObjectsNotification``.
    public static var ManagedObjectContextWillSave: Notification.Name {
        ManagedObjectContext.willSaveObjectsNotification
    }

    /// The same as ``ManagedObjectContext/didSaveObjectsNotification``.
    public static var ManagedObjectContextDidSave: Notification.Name {
        ManagedObjectContext.didSaveObjectsNotification
    }
}

/// The same as ``ManagedObjectContext/NotificationKey/insertedObjects``.
public let InsertedObjectsKey = ManagedObjectContext.NotificationKey.insertedObjects.rawValue
/// The same as ``ManagedObjectContext/NotificationKey/updatedObjects``.
public let UpdatedObjectsKey = ManagedObjectContext.NotificationKey.updatedObjects.rawValue
/// The same as ``ManagedObjectContext/NotificationKey/deletedObjects``.
public let DeletedObjectsKey = ManagedObjectContext.NotificationKey.deletedObjects.rawValue
/// The same as ``ManagedObjectContext/NotificationKey/refreshedObjects``.
public let RefreshedObjectsKey = ManagedObjectContext.NotificationKey.refreshedObjects.rawValue
/// The same as ``ManagedObjectContext/NotificationKey/invalidatedObjects``.
public let InvalidatedObjectsKey = ManagedObjectContext.NotificationKey.invalidatedObjects.rawValue
/// The same as ``ManagedObjectContext/NotificationKey/invalidatedAllObjects``.
public let InvalidatedAllObjectsKey = ManagedObjectContext.NotificationKey.invalidatedAllObjects
    .rawValue
