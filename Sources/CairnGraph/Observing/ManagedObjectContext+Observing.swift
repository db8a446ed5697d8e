import Foundation
import Observation

/// Notifications, posted by the context (their `object`) to `NotificationCenter.default`.
///
/// They are posted inside of the context's turn, on its thread, in this order: the event before the
/// save, will-save, what hooks changed, did-save. Those with objects are for the context's own
/// turn; those with IDs may be handed on. A kind that nobody has asked for by its name is not
/// posted, and costs nothing.
extension ManagedObjectContext {
    /// Keys of the user info; their raw values are the keys themselves, as in Core Data.
    public enum NotificationKey: String, Sendable, CaseIterable {
        /// `Set<ManagedObject>`: not there before.
        case insertedObjects = "inserted"
        /// `Set<ManagedObject>`: with changed values or relationships.
        case updatedObjects = "updated"
        /// `Set<ManagedObject>`: not there any more.
        case deletedObjects = "deleted"
        /// `Set<ManagedObject>`: with the values of their store again.
        case refreshedObjects = "refreshed"
        /// `Set<ManagedObject>`: without their values, and perhaps not in their store any more.
        case invalidatedObjects = "invalidated"
        /// `true` where the context let go of all of its objects.
        case invalidatedAllObjects = "invalidatedAll"
        /// `Set<ObjectID>`: inserted.
        case insertedObjectIDs = "inserted_objectIDs"
        /// `Set<ObjectID>`: updated.
        case updatedObjectIDs = "updated_objectIDs"
        /// `Set<ObjectID>`: deleted.
        case deletedObjectIDs = "deleted_objectIDs"
        /// `Set<ObjectID>`: refreshed.
        case refreshedObjectIDs = "refreshed_objectIDs"
        /// `Set<ObjectID>`: invalidated.
        case invalidatedObjectIDs = "invalidated_objectIDs"
        /// ``QueryGenerationToken``: what a pinned context reads after the save or the merge. Absent
        /// if the context is not pinned.
        case queryGeneration = "newQueryGeneration"
    }

    /// An event with changes has ended. Has sets of objects; a set without members is absent.
    ///
    /// Objects that were inserted elsewhere and merged are in the inserted set, as faults.
    public static var didChangeObjectsNotification: Notification.Name {
        ContextNotifications.didChange.observed
    }

    /// A save begins. Has no user info. Objects may still be changed.
    public static var willSaveObjectsNotification: Notification.Name {
        ContextNotifications.willSave.observed
    }

    /// A save has succeeded. Has the sets of inserted, updated and deleted objects, empty ones too,
    /// and the query generation of a pinned context.
    public static var didSaveObjectsNotification: Notification.Name {
        ContextNotifications.didSave.observed
    }

    /// A save has succeeded. Has the sets of inserted, updated and deleted IDs, empty ones too, and
    /// the query generation of a pinned context.
    public static var didSaveObjectIDsNotification: Notification.Name {
        ContextNotifications.didSaveIDs.observed
    }

    /// Changes of others were merged. Has sets of IDs, and the query generation of a pinned context.
    /// A set without members is absent. The objects whose values are newer now are in the refreshed set,
    /// and those of them that others updated are in the updated set, too.
    public static var didMergeChangesObjectIDsNotification: Notification.Name {
        ContextNotifications.didMergeIDs.observed
    }
}

extension ManagedObjectContext {
    /// Whether the context's objects can be observed by the Observation framework: who reads them
    /// inside of `withObservationTracking` is told when what was read changes.
    ///
    /// A property is the same for a typed accessor, a name and a key path. Observers of it are told
    /// when it is set, when the other end of its relationship is, by undo, redo and rollback, by a
    /// save that derives another value, and by a refresh or merge that may give it another one. A
    /// deletion, taken back or not, is a change of all properties. Fetched properties ask their
    /// store each time and are not observed.
    ///
    /// ```swift
    /// context.observesObjects = true
    /// withObservationTracking {
    ///     label = song.title
    /// } onChange: {
    ///     Task { @MainActor in update() }
    /// }
    /// ```
    ///
    /// As the framework has it, `onChange` is called once, in the context's turn, just before the
    /// value changes. False at first: then reading costs what it costs without observers, and
    /// nothing is kept. Where it is true, reading a value takes the general way, some fifteen times as
    /// long, and each object that was read has a registrar until it goes. What was read before it
    /// was made true is not observed; made false, nobody is told any more.
    ///
    /// - Precondition: of setting it, the calling thread is in a turn of the context.
    public var observesObjects: Bool {
        get { kinds.observation != nil }
        set {
            requireTurn("observesObjects")
            guard newValue != observesObjects else { return }
            kinds.observation = newValue ? ObservedObjects() : nil
        }
    }
}
