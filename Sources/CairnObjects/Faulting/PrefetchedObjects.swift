/// The objects along prefetched paths. They are held by the objects at which the paths begin.
///
/// An object that is held in this way never holds other objects in turn, so cycles of relationships do
/// not keep objects alive.
final class PrefetchedObjects {
    private let objects: [ManagedObject]

    private init(_ objects: [ManagedObject]) { self.objects = objects }

    /// Makes the objects at which paths begin hold the objects that the paths lead to, until the former
    /// become faults or are released.
    static func hold(_ found: [ManagedObject], by roots: [ManagedObject]) {
        let holders = roots.filter { !$0.state.contains(.prefetched) }
        if holders.isEmpty { return }
        // A path may lead back to the object at which it began.
        for root in roots { root.state.insert(.listed) }
        let others = found.filter { !$0.state.contains(.listed) }
        for root in roots { root.state.remove(.listed) }
        if others.isEmpty { return }
        let held = PrefetchedObjects(others)
        for object in others { object.state.insert(.prefetched) }
        for holder in holders { holder.writableOverlay.prefetched = held }
    }
}
