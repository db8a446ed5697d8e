import CairnModel
import CairnStore
import Observation

/// Code that reads values inside of `withObservationTracking` is told when they change, if the context
/// says so: see ``ManagedObjectContext/observesObjects``.
extension ManagedObject: Observable {}

extension ManagedObject {
    /// The property that the Observation framework is told of, whichever way it is read or written.
    final subscript(observed storage: PropertySlot) -> Value { primitive(at: storage) }

    /// Notes that a property is read, if somebody may observe it.
    final func noteRead(of storage: PropertySlot) {
        kind.observation?.noteRead(of: storage, self)
    }

    /// Tells the observers of a property that it is about to get another value.
    final func willChange(_ storage: PropertySlot) {
        kind.observation?.willChange(storage, of: self)
    }

    /// Tells the observers of a property that it got another value.
    final func didChange(_ storage: PropertySlot) {
        kind.observation?.didChange(storage, of: self)
    }

    /// Makes a change of the object as a whole. The observers of these properties are told before and
    /// after it. Which properties they are is not asked if nobody observes.
    @inline(__always)
    final func change(
        _ properties: @autoclosure () -> [PropertySlot], _ body: () -> Void
    ) {
        guard let observation = kind.observation else { return body() }
        let properties = properties()
        for property in properties { observation.willChange(property, of: self) }
        body()
        for property in properties { observation.didChange(property, of: self) }
    }

    /// Makes a deleted object one that stays.
    final func comeBack() {
        change(allProperties) { state.remove(.deleted) }
    }

    // MARK: What a change is of

    final var allProperties: [PropertySlot] {
        kind.entity.properties.map(PropertySlot.init(of:))
    }

    final var toManyProperties: [PropertySlot] {
        kind.relationships.filter(\.isToMany).map(\.storage)
    }

    /// Returns the attributes and to-one relationships whose current values differ from those in
    /// `row`.
    ///
    /// - Parameter keepingChanges: whether changed values are kept. They are then left out.
    final func properties(
        changedBy row: Row, keepingChanges: Bool
    ) -> [PropertySlot] {
        kind.layout.slots.compactMap { layoutSlot in
            let slot = layoutSlot.rowSlot
            let changed = overlay?.value(at: slot)
            if keepingChanges, changed != nil { return nil }
            let current = changed ?? self.row.map { raw(layoutSlot, in: $0) } ?? .null
            return current == raw(layoutSlot, in: row) ? nil : .row(slot)
        }
    }

    /// The properties that are others when the changes of them are taken back.
    final var changedProperties: [PropertySlot] {
        let slots = overlay?.dirty ?? RowSlotSet()
        return slots.map(PropertySlot.row)
            + kind.relationships.filter { $0.isToMany && knownMembers($0).hasChanges }
            .map(\.storage)
    }
}
