import CairnModel
import CairnStore

/// Deleted objects of a context whose delete rules have not been applied yet, and new ones that were
/// deleted before they were ever saved.
final class PendingDeletions: ContextPart {
    /// Whether delete rules are applied at the end of each event, and not only with a save.
    var arePropagatedWithEvents = true
    /// Objects whose delete rules are left to the save.
    private var unpropagated: [ManagedObject] = []
    /// Objects that were deleted before they were ever saved, until the event ends.
    private var abandonedInsertions: [ManagedObject] = []
    /// What hooks delete while delete rules are applied, and whose own rules come next. `nil` if no rules
    /// are being applied.
    private var deletedByHooks: [ManagedObject]?

    /// Whether delete rules are left to the save.
    var isEmpty: Bool { unpropagated.isEmpty }

    /// Notes that an object was deleted, after its hook was called.
    func note(_ object: ManagedObject) {
        if object.isInserted { abandonedInsertions.append(object) }
    }

    /// Notes that the program, and no delete rule, deleted an object: while rules are applied, its own
    /// rules come next.
    func noteDeletedByProgram(_ object: ManagedObject) { deletedByHooks?.append(object) }

    /// Applies the delete rules of the event's deletions at its end, or leaves them to the save.
    ///
    /// A failure is left to the save, too, which meets it again and throws it.
    func endEvent() {
        if arePropagatedWithEvents {
            context.events.hold { try? propagate() }
        } else {
            unpropagated += deletionsOfEvent
        }
    }

    private var deletionsOfEvent: [ManagedObject] {
        context.events.journal.touches.compactMap {
            $0.object.awaitsDeletion ? $0.object : nil
        }
    }

    /// Applies the delete rules of objects that were deleted in the event, or that others were linked
    /// to after the deletion; of those that earlier events left; and of those that hooks delete
    /// during this call.
    ///
    /// - Throws: `.store`.
    func propagate() throws(GraphError) {
        var objects = unpropagated.filter(\.awaitsDeletion) + deletionsOfEvent
        unpropagated = objects
        if objects.isEmpty { return }
        var rules = DeleteRules(context)
        while !objects.isEmpty {
            deletedByHooks = []
            defer { deletedByHooks = nil }
            do throws(GraphError) {
                try rules.apply(to: objects)
            } catch {
                unpropagated += deletedByHooks ?? []
                throw error
            }
            objects = deletedByHooks ?? []
            unpropagated += objects
        }
        unpropagated = []
    }

    /// Lets go of objects that were deleted before they were ever saved. Called after observers, who may
    /// still read these objects, were told. The undo manager's records of them can bring them back.
    ///
    /// Those whose delete rules are left to the save stay until then, and those that an observer has
    /// changed stay until the end of that event.
    func letGoOfAbandonedInsertions() {
        guard !abandonedInsertions.isEmpty, unpropagated.isEmpty else { return }
        let abandoned = abandonedInsertions
        abandonedInsertions = abandoned.filter { $0.state.contains(.touched) }
        for object in abandoned where object.owner === context && object.isAbandoned {
            if object.state.contains(.touched) { continue }
            context.undoing.keepAbandoned(object)
            context.letGo(of: object, isDeleted: true)
            context.tracker.noteIdle()
        }
    }

    /// Forgets the new objects that were deleted: a save has let go of them.
    func forgetAbandonedInsertions() { abandonedInsertions = [] }

    /// Forgets what earlier events left to be done.
    func removeAll() {
        unpropagated = []
        abandonedInsertions = []
    }
}
