/// The objects along prefetched paths, held by the objects that the paths begin at.
///
/// An object that another one holds in this way never gets objects to hold itself. So no circle of
/// relationships keeps its objects alive.
final class PrefetchedObjects {
    private let objects: [ManagedObject]

    private init(_ objects: [ManagedObject]) { self.objects = objects }

    /// Has the objects that paths begin at hold those that the paths lead to, until they become
    /// faults or are released.
    static func hold(_ found: [ManagedObject], by roots: [ManagedObject]) {
        let holders = roots.filter { !$0.state.contains(.prefetched) }
        if holders.isEmpty { return }
        // A path may lead back to where it began.
        for root in roots { root.state.insert(.listed) }
        let others = found.filter { !$0.state.contains(.listed) }
        for root in roots { root.state.remove(.listed) }
        if others.isEmpty { return }
        let held = PrefetchedObjects(others)
        for object in others { object.state.insert(.prefetched) }
        for holder in holders { holder.writableOverlay.prefetched = held }
    }
}
