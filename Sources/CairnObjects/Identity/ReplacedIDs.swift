import CairnModel
import CairnRows
import CairnStack
import Synchronization

/// The new IDs of a context's objects, by the IDs that they replaced: temporary ones, and those of objects that
/// moved to another store, which are no longer looked up.
///
/// A replacement is kept until the next save. In a child context, whose rows contain temporary IDs, it
/// is kept until the context is reset. If a predicate contains the temporary ID, the replacement is kept
/// forever.
final class ReplacedIDs: ContextPart {
    private var replacements = IDReplacements()
    /// The temporary IDs that predicates contain. A program may use a predicate for any length of time.
    private var idsInPredicates: Set<ObjectID> = []

    /// The permanent ID that replaced a temporary ID, or `nil` if the ID was not replaced.
    subscript(id: ObjectID) -> ObjectID? {
        @inline(__always) get { replacements[id] }
    }

    /// Returns the temporary IDs that this ID replaced.
    func formerIDs(of id: ObjectID) -> [ObjectID] {
        replacements.filter { $0.new == id }.map { $0.old }
    }

    /// Records that a predicate contains an ID. A program may use a predicate for any length of time.
    func noteInPredicate(_ id: ObjectID) {
        if id.isTemporary { idsInPredicates.insert(id) }
    }

    /// Returns a predicate with the current IDs of objects that were not saved when the predicate was
    /// created.
    func current(_ predicate: FetchPredicate) -> FetchPredicate {
        guard predicate.hasTemporaryIDs else { return predicate }
        // A save in progress and the parent may have new IDs to report.
        context.settle()
        context.remoteChanges.readNewIDs()
        return replacements.isEmpty ? predicate : predicate.replacingIDs(context.currentID)
    }

    /// Removes all replacements, except for those that predicates need.
    func forget() {
        var kept = IDReplacements()
        for id in idsInPredicates { kept[id] = replacements[id] }
        replacements = kept
    }

    /// Applies the new IDs of objects everywhere in this context.
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
            // The row is that of the former store. A child reads the new one when a value is needed.
            if !old.isTemporary, context.source.holdsUnsavedObjects {
                object.turnIntoFault(keepingChanges: true)
            }
        }
        // There are usually no previous replacements, and then this copies nothing.
        replacements.merge(newIDs)
        // Undo actions contain the former IDs of moved objects.
        if newIDs.replacesPermanentIDs { context.undoing.forgetActions() }
        if context.source.holdsUnsavedObjects || newIDs.replacesPermanentIDs {
            // Objects without changes may also refer to objects with new IDs: in the parent, or by transient
            // relationships.
            for object in identityMap.objects {
                object.overlay?.replaceIDs(newIDs, of: object.kind)
                if newIDs.replacesPermanentIDs { object.forgetRow(leadingTo: newIDs) }
            }
        } else if let neighbours = neighbours(of: newIDs) {
            for object in neighbours { object.overlay?.replaceIDs(newIDs, of: object.kind) }
        } else {
            for object in context.tracker.objects {
                object.overlay?.replaceIDs(newIDs, of: object.kind)
            }
        }
    }

    /// Returns the objects that received new IDs and the objects that they refer to. Returns `nil` if
    /// other objects may refer to them, or if there are too many of them. In these cases, all objects
    /// with changes must be examined.
    private func neighbours(of newIDs: IDReplacements) -> [ManagedObject]? {
        let tracker = context.tracker
        guard newIDs.count < tracker.objects.count / 8, !tracker.mayHaveOneSidedLinks else {
            return nil
        }
        let replaced = newIDs.compactMap { context.identityMap[$0.new] }
        if replaced.contains(where: \.kind.isDestinationWithoutInverse) { return nil }
        return replaced.flatMap { [$0] + $0.knownNeighbours }
    }
}

extension ManagedObject {
    /// Makes a child's object read its row again if the row leads to objects by IDs that they had in another store.
    fileprivate final func forgetRow(leadingTo newIDs: IDReplacements) {
        guard let row, owner?.source.holdsUnsavedObjects == true else { return }
        let isOutdated = kind.layout.slots.contains { slot in
            guard slot.kind == .toOne, !row.isNull(slot) else { return false }
            let id = row.objectID(slot)
            return !id.isTemporary && newIDs[id] != nil
        }
        if isOutdated { turnIntoFault(keepingChanges: true) }
    }
}

/// Creates the keys of temporary IDs. Keys count down from −1 and are unique in the process.
enum TemporaryKeys {
    private static let last = Atomic<Int64>(0)

    static func next() -> Int64 {
        last.subtract(1, ordering: .relaxed).newValue
    }
}
