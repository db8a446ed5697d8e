import CairnModel
import CairnStore
import Foundation

/// An object of a context: its identity, its values, its relationships.
///
/// Thin: a pointer to the row it was read from, and nothing else until it is changed. Without a row
/// it is a fault, and fetches its values when one is asked for. There is one object per ID in a
/// context, for as long as somebody holds it; the context itself holds those with changes. Used
/// inside of its context's turns only.
///
/// Equality and hash are those of identity, so an object stays in its sets when a save gives it a
/// permanent ID.
///
/// Accessors that do not throw give nil, or zero, if a value cannot be had: of an object that is not in its
/// store any more, or that left its context without the value. They tell
/// ``ManagedObjectContext/faultFailureHandler`` each time.
open class ManagedObject {
    // 56 bytes, so that the allocator's block is one of 64: what all objects of a kind share is in
    // their kind, what few objects have in their overlay. Typed reads need the first two fields.
    //
    // Exclusivity is unchecked: four checks would cost more than reading a value does. Accesses do
    // not overlap, because one turn at a time uses an object and each reads or writes one field.

    /// The row's values where they are the object's: the row is there, and nothing was changed. A
    /// plain pointer, so that reading a value counts no reference.
    @exclusivity(unchecked) @usableFromInline final var values: RowPointer?
    @exclusivity(unchecked) @usableFromInline final var kind: ObjectKind
    @exclusivity(unchecked) private final var holding: Holding
    @exclusivity(unchecked) @usableFromInline private(set) final var key: Int64
    @exclusivity(unchecked) @usableFromInline private(set) final var store: StoreNumber
    @exclusivity(unchecked) final var state: ObjectState
    /// Whether the context let go of the object.
    @exclusivity(unchecked) private final var isAlone: Bool

    /// What an object keeps alive beside its kind.
    private enum Holding {
        /// A fault, or an object without a context.
        case nothing
        /// The row that ``values`` points to is in this slab.
        case row(RowSlab)
        /// Something was changed, or is not in rows; the overlay has the row.
        case overlay(Overlay)
    }

    /// What a context makes an object from: plain pointers, which outlive the making.
    public struct Birth {
        let kind: Unmanaged<ObjectKind>
        let id: ObjectID
        let slab: Unmanaged<RowSlab>?
        let values: RowPointer?

        init(kind: ObjectKind, id: ObjectID, row: Row?) {
            self.kind = .passUnretained(kind)
            self.id = id
            slab = row.map { .passUnretained($0.slab) }
            values = row?.pointer
        }
    }

    /// Makes an object; only contexts do. A subclass that adds an initialiser repeats this one.
    public required init(_ birth: Birth) {
        values = birth.values
        kind = birth.kind.takeUnretainedValue()
        holding = birth.slab.map { .row($0.takeUnretainedValue()) } ?? .nothing
        key = birth.id.key
        store = birth.id.store
        state = []
        isAlone = false
    }

    /// Inserts a new object into the context, of the entity that has this class.
    ///
    /// - Throws: `.classWithoutEntity`, `.classOfSeveralEntities`, `.classTooLate`, `.abstractEntity`,
    ///   `.wrongThread`.
    public convenience init(context: ManagedObjectContext) throws(GraphError) {
        let kind = try context.kinds.kind(of: Self.self)
        self.init(try context.birth(of: kind))
        context.adopt(inserted: self)
    }

    /// The names of the attributes and to-ones that the class's accessors read and set by slot: the
    /// first is slot 0. Empty: slots are those of the entity in the model at hand.
    ///
    /// Accessors with fixed numbers are right for one version of a model only, so a class that has
    /// some says what they mean; names are made slots once for each context. A subclass puts its own
    /// names behind those of its superclass. A class that names what the entity does not have is
    /// refused, with its name, when it is asked for.
    ///
    /// ```swift
    /// override class var slotNames: [String] { ["title", "length"] }
    /// var title: String? {
    ///     get { string(at: 0) }
    ///     set { setString(newValue, at: 0) }
    /// }
    /// ```
    open class var slotNames: [String] { [] }

    deinit {
        kind.observation?.forget(self)
        owner?.identityMap.remove(objectID)
    }

    /// The class, the entity, the object ID, and the values that the object has, for logs and
    /// debuggers. Fires no fault: a fault is described as one. Shows no values outside of a turn of
    /// the context.
    ///
    /// ```
    /// <Song: 0x00007f… (entity: Song; id: x-coredata://…/Song/p1; data: {
    ///     album = x-coredata://…/Album/p7;
    ///     title = "Blue";
    /// })>
    /// ```
    open var description: String { ObjectDescription(of: self).text }

    // MARK: Hooks

    /// Called once when the object is new. Changes made here are part of it.
    open func awakeFromInsert() {}
    /// Called each time the object gets its values from the store. Values that it gives itself here
    /// are no change: a save does not write them, unless others of the object are changed.
    open func awakeFromFetch() {}
    /// Called when the object gets other values than by being set or fetched: by undo and redo, a
    /// rollback, a refresh that keeps its changes, or a merge.
    ///
    /// - Parameter events: why.
    open func awakeFromSnapshotEvents(_ events: SnapshotEvents) {}
    /// Called before a save for each object with changes, and again for each object that a hook of this
    /// kind, its own or another object's, has changed since, until nothing changes any more.
    ///
    /// A value that is set to what it was, and a primitive value, are no change. A save whose hooks
    /// still change objects after 1,000 rounds throws `GraphError.hooksNeverSettle`.
    open func willSave() {}
    /// Called after a save for each object that was in it; of a deleted one ``isDeleted`` is still
    /// true, and the values that it had are still there.
    open func didSave() {}
    /// Called when the object is about to be deleted, while its relationships are still there.
    open func prepareForDeletion() {}
    /// Called when the object is about to lose its values and become a fault, while they are still
    /// there. An object that nobody holds any more just goes: `deinit` is the place for that.
    open func willTurnIntoFault() {}
    /// Called when the object lost its values and became a fault.
    open func didTurnIntoFault() {}
    /// Computes a transient attribute; nil: it has the value that was set.
    ///
    /// Asked each time the attribute is read by its name, in a key path too.
    open func computedValue(ofTransient key: String) -> Value? { nil }
    /// Checks one attribute of the object before it is saved, and before the model's rules are; and
    /// a value that ``validateValue(_:forKey:)`` is asked about.
    ///
    /// Called for every attribute of a new object and for those that were changed, derived ones left
    /// out. A value that it changes takes the place of the old one.
    ///
    /// - Throws: as ``validateForInsert()``.
    open func validate(_ value: inout Value, forKey key: String) throws {}
    /// Checks whether the object may be inserted into a store. A save calls it for each new object, and a
    /// program may call it at any time.
    ///
    /// Checks every value and relationship by the model's rules, and calls ``validate(_:forKey:)`` for each
    /// value. An override calls `super`, unless only a save calls the override: a save checks the model's
    /// rules in any case, and reports what they and the override refuse together.
    ///
    /// - Throws: `GraphError.validation` with every broken rule; `GraphError.objectGone`, `.store` and
    ///   `.wrongThread`. An override throws whatever says what is wrong; a save makes it part of
    ///   `GraphError.validation`.
    open func validateForInsert() throws { try checkRules(on: .insertion) }
    /// Checks whether the object's changes may be saved. A save calls it for each changed object, and a
    /// program may call it at any time.
    ///
    /// Checks what was changed since the last save, and nothing if the object has no changes; of a new object
    /// everything. For the rest see ``validateForInsert()``, which checks a stored object completely.
    ///
    /// - Throws: as ``validateForInsert()``.
    open func validateForUpdate() throws { try checkRules(on: .update) }
    /// Checks whether the object may be deleted. A save calls it for each deleted object, and a program may
    /// call it before it deletes the object.
    ///
    /// Refused by a relationship with the delete rule `deny` that leads to an object which is not deleted.
    /// For the rest see ``validateForInsert()``.
    ///
    /// - Throws: as ``validateForInsert()``.
    open func validateForDelete() throws { try checkRules(on: .deletion) }
}

extension ManagedObject: CustomStringConvertible {}

extension ManagedObject: Hashable {
    /// Whether both are the same object.
    public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension ManagedObject {
    /// Whether every value is the row's: it is there, and nothing was changed.
    final var readsRow: Bool {
        get { values != nil }
        set { values = newValue ? row?.pointer : nil }
    }

    /// The stored values; nil: a fault, or not saved yet.
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

    /// Changes and what rows do not hold; nil: none.
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

    /// Takes an overlay that has the object's row.
    final func adopt(overlay: Overlay) { holding = .overlay(overlay) }

    /// Which object this is. A save, or ``ManagedObjectContext/obtainPermanentIDs(for:)``, turns a
    /// temporary ID into a permanent one.
    public internal(set) final var objectID: ObjectID {
        @inlinable get {
            ObjectID(
                store: store, rootEntity: kind.rootNumber, entity: kind.number, key: key)
        }
        set { (store, key) = (newValue.store, newValue.key) }
    }

    /// The context, for a call that it outlives: no reference is counted.
    final var unownedContext: Unmanaged<ManagedObjectContext>? { isAlone ? nil : kind.context }

    /// The context, which is that of the kind; nil after it let go of the object, or went.
    @usableFromInline final var owner: ManagedObjectContext? {
        get { unownedContext?.takeUnretainedValue() }
        set { isAlone = newValue == nil }
    }

    /// The context; nil after a deletion was saved, an insertion was taken back, the context was
    /// reset, or it went.
    public final var managedObjectContext: ManagedObjectContext? { owner }
    /// What kind of object this is.
    public final var entity: Entity { kind.entity }
    /// Whether the values are yet to be fetched.
    public final var isFault: Bool {
        row == nil && !state.contains(.inserted) && !state.contains(.gone)
    }
    /// Whether no store has the object yet.
    public final var isInserted: Bool { state.contains(.inserted) }
    /// Whether a stored object has changes that the next save writes.
    public final var isUpdated: Bool {
        state.contains(.updated) && !state.contains(.inserted) && !state.contains(.deleted)
    }
    /// Whether the next save deletes the object, or the object went without a save of its context: it
    /// was deleted before it was ever saved, or elsewhere.
    ///
    /// An object whose deletion its context has saved answers `false`, as in Core Data.
    public final var isDeleted: Bool { state.contains(.deleted) }
    /// Whether the object is new, changed or to be deleted.
    public final var hasChanges: Bool {
        !state.isDisjoint(with: [.inserted, .updated, .deleted]) && !state.contains(.gone)
    }
    /// Whether the object is in its context and the next save deletes it, or lets go of it.
    final var awaitsDeletion: Bool {
        state.contains(.deleted) && !state.contains(.gone)
    }
    /// Whether the object was deleted before it was ever saved, so that a save has nothing to do.
    final var isAbandoned: Bool { state.isSuperset(of: [.inserted, .deleted]) }
    /// The version of the row that the object was read from; nil: a fault, or never saved.
    public final var rowVersion: Int64? { row?.version }
}
