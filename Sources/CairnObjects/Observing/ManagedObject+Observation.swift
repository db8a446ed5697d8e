import CairnModel
import CairnRows
import CairnStack
import Observation

/// Code that reads values inside `withObservationTracking` is notified of their changes if
/// ``ManagedObjectContext/observesObjects`` is `true`.
extension ManagedObject: Observable {}

extension ManagedObject {
    /// The property that is reported to the Observation framework, however the value is read or written.
    final subscript(observed storage: PropertySlot) -> Value { primitive(at: storage) }

    /// Notes the read of a property if reads are observed.
    final func noteRead(of storage: PropertySlot) {
        kind.observation?.noteRead(of: storage, self)
    }

    /// Notifies observers of a property that its value is about to change.
    final func willChange(_ storage: PropertySlot) {
        kind.observation?.willChange(storage, of: self)
    }

    /// Notifies observers of a property that its value has changed.
    final func didChange(_ storage: PropertySlot) {
        kind.observation?.didChange(storage, of: self)
    }

    /// Performs a change of the whole object, and notifies the observers of these properties before and
    /// after it. `properties` is evaluated only if the context's objects are observed.
    @inline(__always)
    final func change(_ properties: @autoclosure () -> [PropertySlot], _ body: () -> Void) {
        guard let observation = kind.observation else { return body() }
        let properties = properties()
        for property in properties { observation.willChange(property, of: self) }
        body()
        for property in properties { observation.didChange(property, of: self) }
    }

    /// Cancels the deletion of an object.
    final func cancelDeletion() {
        change(allProperties) { state.remove(.deleted) }
    }

    // MARK: Properties that a change affects

    final var allProperties: [PropertySlot] {
        kind.entity.properties.map(PropertySlot.init(of:))
    }

    final var toManyProperties: [PropertySlot] {
        kind.relationships.filter(\.isToMany).map(\.storage)
    }

    /// Returns the attributes and to-one relationships whose current values differ from those in
    /// `row`.
    ///
    /// - Parameter keepingChanges: Whether changed values are kept. If `true`, they are not part of the
    ///   result.
    final func properties(changedBy row: Row, keepingChanges: Bool) -> [PropertySlot] {
        kind.layout.slots.compactMap { layoutSlot in
            let slot = layoutSlot.rowSlot
            let changed = overlay?.value(at: slot)
            if keepingChanges, changed != nil { return nil }
            let current = changed ?? self.row.map { raw(layoutSlot, in: $0) } ?? .null
            return current == raw(layoutSlot, in: row) ? nil : .row(slot)
        }
    }

    /// The properties whose values change if the object's changes are undone.
    final var changedProperties: [PropertySlot] {
        let slots = overlay?.dirty ?? RowSlotSet()
        return slots.map(PropertySlot.row)
            + kind.relationships.filter { $0.isToMany && knownMembers($0).hasChanges }
            .map(\.storage)
    }
}
