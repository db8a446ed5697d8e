import CairnModel
import CairnStack

/// The deleted objects of a context whose delete rules have not been applied yet, and new objects that
/// were deleted before they were ever saved.
final class PendingDeletions: ContextPart {
    /// Whether delete rules are applied at the end of each event. Otherwise, they are applied only by a
    /// save.
    var arePropagatedWithEvents = true
    /// Objects whose delete rules will be applied by the save.
    private var unpropagated: [ManagedObject] = []
    /// Objects that were deleted before they were ever saved. Kept until the event ends.
    private var abandonedInsertions: [ManagedObject] = []
    /// The objects that hooks deleted while delete rules were being applied. Their own rules are applied
    /// next. `nil` if no rules are being applied.
    private var deletedByHooks: [ManagedObject]?

    /// Whether no delete rules are left to the save.
    var isEmpty: Bool { unpropagated.isEmpty }

    /// Records that an object was deleted, after its hook was called.
    func note(_ object: ManagedObject) {
        if object.isInserted { abandonedInsertions.append(object) }
    }

    /// Records that an object was deleted by the program and not by a delete rule. If rules are being
    /// applied, the object's own rules are applied next.
    func noteDeletedByProgram(_ object: ManagedObject) { deletedByHooks?.append(object) }

    /// At the end of an event, applies the delete rules of its deletions, or leaves them to the save.
    ///
    /// After an error, the rules are also left to the save, which encounters the error again and throws
    /// it.
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

    /// Applies the delete rules of objects that were deleted in the event or that others were linked to
    /// after their deletion, of objects that earlier events left, and of objects that hooks delete
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
            do {
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

    /// Removes objects that were deleted before they were ever saved. Called after observers were
    /// notified, because observers may still read these objects. The undo manager's records can restore
    /// them.
    ///
    /// Objects whose delete rules are left to the save are kept until the save. Objects that an observer
    /// has changed are kept until the end of that event.
    func removeAbandonedInsertions() {
        guard !abandonedInsertions.isEmpty, unpropagated.isEmpty else { return }
        let abandoned = abandonedInsertions
        abandonedInsertions = abandoned.filter { $0.state.contains(.touched) }
        for object in abandoned where object.owner === context && object.isAbandoned {
            if object.state.contains(.touched) { continue }
            context.undoing.keepAbandoned(object)
            context.detach(object, isDeleted: true)
            context.tracker.noteIdle()
        }
    }

    /// Discards the list of new objects that were deleted, after a save has removed them.
    func forgetAbandonedInsertions() { abandonedInsertions = [] }

    /// Discards the work that earlier events left to the save.
    func removeAll() {
        unpropagated = []
        abandonedInsertions = []
    }
}
