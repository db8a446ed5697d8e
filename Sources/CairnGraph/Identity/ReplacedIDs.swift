import CairnModel
import CairnStore

/// The permanent IDs of a context's objects that may be asked for by the temporary IDs that they had.
///
/// A replacement is kept until the next save. In a child, whose rows keep temporary IDs, it is kept until
/// the context is reset, and if a predicate has the ID, for good.
final class ReplacedIDs: ContextPart {
    private var replacements = IDReplacements()
    /// The temporary IDs that predicates were made with. A predicate may be used for as long as the program
    /// likes.
    private var idsInPredicates: Set<ObjectID> = []

    /// The permanent ID of a temporary one. `nil` if the ID was not replaced.
    subscript(id: ObjectID) -> ObjectID? {
        @inline(__always) get { replacements[id] }
    }

    /// The temporary IDs that were replaced by this one.
    func formerIDs(of id: ObjectID) -> [ObjectID] {
        replacements.filter { $0.new == id }.map { $0.old }
    }

    /// Notes that a predicate, which may be used for as long as the program likes, has an ID.
    func noteInPredicate(_ id: ObjectID) {
        if id.isTemporary { idsInPredicates.insert(id) }
    }

    /// Returns a predicate with the IDs that objects have now, if they were not saved when it was made.
    func current(_ predicate: FetchPredicate) -> FetchPredicate {
        guard predicate.hasTemporaryIDs else { return predicate }
        // A save that is under way has IDs to tell, and so may the parent.
        context.settle()
        context.remoteChanges.readNewIDs()
        return replacements.isEmpty ? predicate : predicate.replacingIDs(context.currentID)
    }

    /// Forgets the replacements, but for those that predicates need.
    func forget() {
        var kept = IDReplacements()
        for id in idsInPredicates { kept[id] = replacements[id] }
        replacements = kept
    }

    /// Notes the new IDs of objects, wherever this context keeps IDs.
    func replace(_ newIDs: IDReplacements) {
        guard !newIDs.isEmpty else { return }
        let identityMap = context.identityMap
        for (old, new) in newIDs {
            guard let object = identityMap[old] else { continue }
            identityMap.remove(old)
            if let present = identityMap[new], present !== object {
                Upserts(context).replace(object, by: present)
                continue
            }
            object.objectID = new
            identityMap.insert(object, for: new)
        }
        // Usually there were no replacements before: then this copies nothing.
        replacements.merge(newIDs)
        if context.source.holdsUnsavedObjects {
            // Objects without changes may lead to new ones, too: to those of the parent.
            for object in identityMap.objects {
                object.overlay?.replaceIDs(newIDs, of: object.kind)
            }
        } else if let neighbours = neighbours(of: newIDs) {
            for object in neighbours { object.overlay?.replaceIDs(newIDs, of: object.kind) }
        } else {
            for object in context.tracker.objects {
                object.overlay?.replaceIDs(newIDs, of: object.kind)
            }
        }
    }

    /// Returns the objects that got new IDs, and those that they lead to. Returns `nil` if other objects may
    /// lead to them, or if they are many: every object with changes is then looked at.
    private func neighbours(of newIDs: IDReplacements) -> [ManagedObject]? {
        let tracker = context.tracker
        guard newIDs.count < tracker.objects.count / 8, !tracker.mayHaveOneSidedLinks else {
            return nil
        }
        let replaced = newIDs.compactMap { context.identityMap[$0.new] }
        if replaced.contains(where: \.kind.isLedToOneWay) { return nil }
        return replaced.flatMap { [$0] + $0.knownNeighbours }
    }
}
