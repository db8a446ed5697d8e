import CairnModel
import CairnRows
import CairnStack
import Foundation

/// An object of a context, with an identity, values and relationships.
///
/// Until it is changed, an object is only a pointer to the row that it was read from. An object without a
/// row is a fault, which fetches its values when one of them is read. A context has one object per ID,
/// for as long as something holds the object. The context itself holds the objects with changes. Use an
/// object only in turns of its context.
///
/// Objects are equal if they are identical. An object therefore stays in the sets that contain it when a
/// save replaces its temporary ID.
///
/// Accessors that do not throw return `nil` or zero if a value cannot be read, because the object is no
/// longer in its store or left its context without the value. Each such read calls
/// ``ManagedObjectContext/faultFailureHandler``.
open class ManagedObject {
    // An object has 56 bytes, so that the allocator gives it a block of 64. State that all objects of a
    // kind share is in the kind, and state that few objects have is in the overlay. Typed reads use the
    // first two fields.
    //
    // Exclusivity is unchecked because four checks would cost more than reading a value does. Accesses do
    // not overlap: an object is used by one turn at a time, and each access reads or writes one field.

    /// The row's values, if they are the object's current values: the object has a row, and none of its
    /// values was changed. This is a plain pointer, so that reading a value needs no reference counting.
    @exclusivity(unchecked) @usableFromInline final var values: RowPointer?
    @exclusivity(unchecked) @usableFromInline package final var kind: ObjectKind
    @exclusivity(unchecked) private final var holding: Holding
    @exclusivity(unchecked) @usableFromInline private(set) final var key: Int64
    @exclusivity(unchecked) @usableFromInline private(set) final var store: StoreNumber
    @exclusivity(unchecked) package final var state: ObjectState
    /// Whether the object no longer belongs to its context.
    @exclusivity(unchecked) private final var hasLeftContext: Bool
    /// Whether only the delete rule of a stored object deleted the object, and not the program.
    @exclusivity(unchecked) final var isDeletedByRule: Bool

    /// The reference that an object holds in addition to its kind.
    private enum Holding {
        /// The object is a fault, or has no context.
        case nothing
        /// The object has an unchanged row in this slab. ``values`` points to the row.
        case row(RowSlab)
        /// A value was changed or is not stored in rows. The overlay has the row.
        case overlay(Overlay)
    }

    /// The parameters that a context passes to create an object. They are plain pointers, whose targets
    /// exist until the object is created.
    public struct _Seed {
        let kind: Uncounted<ObjectKind>
        let id: ObjectID
        let slab: Uncounted<RowSlab>?
        let values: RowPointer?

        package init(kind: ObjectKind, id: ObjectID, row: Row?) {
            self.kind = Uncounted(kind)
            self.id = id
            slab = row.map { Uncounted($0.slab) }
            values = row?.pointer
        }
    }

    /// Creates an object. Only contexts call this. A subclass that adds a designated initialiser must
    /// also implement this one.
    public required init(_ seed: _Seed) {
        values = seed.values
        kind = seed.kind.object
        holding = seed.slab.map { .row($0.object) } ?? .nothing
        key = seed.id.key
        store = seed.id.store
        state = []
        hasLeftContext = false
        isDeletedByRule = false
    }

    /// Creates an object of the class's entity and inserts it into the context.
    ///
    /// - Throws: `.classWithoutEntity`, `.classOfSeveralEntities`, `.classTooLate`, `.abstractEntity`,
    ///   `.wrongThread`.
    public convenience init(context: ManagedObjectContext) throws(GraphError) {
        let kind = try context.kinds.kind(of: Self.self)
        self.init(try context.makeSeed(of: kind))
        context.adopt(inserted: self)
    }

    /// Creates an object as ``init(context:)`` does, with values for attributes whose initial values the class
    /// otherwise evaluates for each object. Initializers that `@Entity` generates call this. Names of other
    /// properties are ignored.
    ///
    /// - Throws: The same errors as ``init(context:)``.
    public convenience init(
        context: ManagedObjectContext, _initialValues initialValues: [String: (any AttributeValue)?]
    ) throws(GraphError) {
        let kind = try context.kinds.kind(of: Self.self)
        self.init(try context.makeSeed(of: kind))
        context.adopt(inserted: self) { initial in
            initialValues[initial.name].map { ($0?._attributeValue ?? .null, isInitial: false) }
        }
    }

    /// The entity's settings that the class's properties do not express, for a model that is created from
    /// classes.
    open class var entitySettings: EntitySettings { EntitySettings() }

    /// The model's names of those ``Managed`` properties that have another name in Swift. Empty by
    /// default.
    ///
    /// ```swift
    /// override class var modelNames: [String: String] { ["entityValue": "entity"] }
    /// ```
    open class var modelNames: [String: String] { [:] }

    deinit {
        kind.observation?.forget(self)
        owner?.identityMap.remove(objectID)
    }

    /// The class, the entity, the object ID, and the current values of the object, for logs and
    /// debuggers. Does not fire faults; a fault is described as such. Outside of the context's turns, the
    /// description contains no values.
    ///
    /// ```
    /// <Song: 0x00007f… (entity: Song; id: x-coredata://…/Song/p1; data: {
    ///     album = x-coredata://…/Album/p7;
    ///     title = "Blue";
    /// })>
    /// ```
    open var description: String { ObjectDescription(of: self).text }

    // MARK: Hooks

    /// Called once, when the object is created. Values that this method sets become part of the new
    /// object.
    open func awakeFromInsert() {}
    /// Called each time the object's values are read from the store. Setting values here does not mark
    /// the object as changed: they are saved only if the object has other changes.
    open func awakeFromFetch() {}
    /// Called when the object's values change other than by being set or fetched: by undo and redo, by a
    /// rollback, by a refresh that keeps changes, or by a merge.
    ///
    /// - Parameter events: The reasons for the call.
    open func awakeFromSnapshotEvents(_ events: SnapshotEvents) {}
    /// Called after a save, for each object that was saved. For a deleted object, ``isDeleted`` is still
    /// `true`, and its values are still available.
    open func didSave() {}
    /// Called when the object is about to be deleted, while its relationships are still set.
    open func prepareForDeletion() {}
    /// Called when the object is about to lose its values and become a fault, while the values are still
    /// available. Not called when an object is deallocated because nothing holds it any more: use
    /// `deinit` for that.
    open func willTurnIntoFault() {}
    /// Called after the object has lost its values and become a fault.
    open func didTurnIntoFault() {}
    /// Returns the value of a transient attribute, or `nil` to use the value that was set. The default
    /// implementation returns `nil`.
    ///
    /// Called each time the attribute is read by name, including reads in a key path.
    open func computedValue(ofTransient key: String) -> Value? { nil }

    // MARK: Hooks of Core Data that are protocols in Cairn

    /// Conform to ``SavePreparing`` instead.
    @available(*, unavailable, message: "Conform to SavePreparing and implement prepareForSave().")
    open func willSave() {}
    /// Conform to ``ValueValidating`` instead.
    @available(
        *, unavailable, message: "Conform to ValueValidating and implement checkValue(_:forKey:)."
    )
    open func validate(_ value: inout Value, forKey key: String) throws {}
}

extension ManagedObject: CustomStringConvertible {}

extension ManagedObject: Hashable {
    /// Returns whether two references are to the same object.
    public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension ManagedObject {
    /// Whether every value is read from the row: the object has a row, and none of its values was
    /// changed.
    final var readsRow: Bool {
        get { values != nil }
        set { values = newValue ? row?.pointer : nil }
    }

    /// The stored values. `nil` if the object is a fault or has not been saved yet.
    final var row: Row? {
        get {
            switch holding {
            case .nothing: nil
            case .row(let slab): values.map { Row(slab: slab, pointer: $0) }
            case .overlay(let overlay): overlay.row
            }
        }
        set {
            if case .overlay(let overlay) = holding {
                overlay.row = newValue
                if values != nil { values = newValue?.pointer }
            } else {
                holding = newValue.map { .row($0.slab) } ?? .nothing
                values = newValue?.pointer
            }
        }
    }

    /// The object's changes, and the values that rows do not hold. `nil` if the object has neither.
    final var overlay: Overlay? {
        get { if case .overlay(let overlay) = holding { overlay } else { nil } }
        set {
            let row = row
            if let newValue {
                newValue.row = row
                adopt(overlay: newValue)
            } else {
                holding = row.map { .row($0.slab) } ?? .nothing
                values = row?.pointer
            }
        }
    }

    /// Sets an overlay that already has the object's row.
    final func adopt(overlay: Overlay) { holding = .overlay(overlay) }

    /// The object's ID. A save, or ``ManagedObjectContext/obtainPermanentIDs(for:)``, replaces a
    /// temporary ID with a permanent one. A save that moves the object to another store replaces its ID, too.
    public internal(set) final var objectID: ObjectID {
        @inlinable get {
            ObjectID(
                store: store, rootEntity: kind.rootNumber, entity: kind.number, key: key)
        }
        set { (store, key) = (newValue.store, newValue.key) }
    }

    /// The context, for use in a call during which the context is known to exist. Counts no reference.
    package final var uncountedContext: Uncounted<ManagedObjectContext>? {
        hasLeftContext ? nil : kind.context
    }

    /// What the module SwiftData has noted in the object's kind.
    @inlinable package final var trackingOffset: Int32 { kind.trackingOffset }

    /// The context of the kind. `nil` if the object no longer belongs to it or the context was deallocated.
    @usableFromInline final var owner: ManagedObjectContext? {
        get { uncountedContext?.object }
        set { hasLeftContext = newValue == nil }
    }

    /// The context that the object belongs to. `nil` after the object's deletion was saved, its
    /// insertion was undone, or the context was reset or deallocated.
    public final var managedObjectContext: ManagedObjectContext? { owner }
    /// The object's entity.
    public final var entity: Entity { kind.entity }
    /// Whether the values have not been fetched yet.
    public final var isFault: Bool {
        row == nil && !state.contains(.inserted) && !state.contains(.gone)
    }
    /// Whether the object is new and has not been saved yet.
    public final var isInserted: Bool { state.contains(.inserted) }
    /// Whether a stored object has changes that the next save writes.
    public final var isUpdated: Bool {
        state.contains(.updated) && !state.contains(.inserted) && !state.contains(.deleted)
    }
    /// Whether the next save deletes the object, or the object no longer exists without a save of its
    /// context: because it was deleted before it was ever saved, or because it was deleted elsewhere.
    ///
    /// After the context has saved the deletion, this is `false`, as in Core Data.
    public final var isDeleted: Bool { state.contains(.deleted) }
    /// Whether the object is new, changed or to be deleted.
    public final var hasChanges: Bool {
        !state.isDisjoint(with: [.inserted, .updated, .deleted]) && !state.contains(.gone)
    }
    /// Whether the object is still in its context and the next save deletes or removes it.
    final var awaitsDeletion: Bool {
        state.contains(.deleted) && !state.contains(.gone)
    }
    /// Whether the object was deleted before it was ever saved, so that a save has nothing to write.
    final var isAbandoned: Bool { state.isSuperset(of: [.inserted, .deleted]) }
    /// The version of the row that the object was read from. `nil` if the object is a fault or was
    /// never saved.
    public final var rowVersion: Int64? { row?.version }
}

/// The reasons why an object's values changed other than by being set or fetched.
public struct SnapshotEvents: OptionSet, Sendable {
    /// The bits, which have the values of `NSSnapshotEventType`.
    public let rawValue: UInt
    /// Creates a set from any bits. Bits without a name in this type have no meaning.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The object was removed, because its insertion was undone or its deletion was redone.
    public static let undoInsertion = SnapshotEvents(rawValue: 1 << 1)
    /// The object was restored, because its deletion was undone or its insertion was redone.
    public static let undoDeletion = SnapshotEvents(rawValue: 1 << 2)
    /// Changes of the object were undone or redone.
    public static let undoUpdate = SnapshotEvents(rawValue: 1 << 3)
    /// The context's changes were rolled back.
    public static let rollback = SnapshotEvents(rawValue: 1 << 4)
    /// The object was refreshed or changes by others were merged into it, and it kept its own changes.
    public static let refresh = SnapshotEvents(rawValue: 1 << 5)
    /// A merge policy resolved a conflict between the object and its store.
    public static let mergePolicy = SnapshotEvents(rawValue: 1 << 6)
}
