import CairnModel
import Dispatch

extension ManagedObjectContext {
    /// Takes in what happened elsewhere: permanent IDs that objects got in the parent context, stores
    /// that were removed, and saves of others where they are merged.
    ///
    /// During a save nothing is taken in: it has begun with what there was.
    func readNews() {
        guard !inbox.isEmpty, !isHoldingEvent else { return }
        readNewIDs()
        readRemovedStores()
        for changes in inbox.takeSaves() {
            do throws(GraphError) {
                // What a parent tells of, it has: asking it to look into its stores again would make
                // every save that a child merges an event of the parent.
                try merge(changes, trustingParent: true)
            } catch {
                // The objects keep the values that they have; asking for others will tell.
                mergeFailureHandler?(error)
            }
        }
    }

    /// Takes in that stores were removed.
    func readRemovedStores() {
        let removed = inbox.takeRemovedStores()
        guard !removed.isEmpty else { return }
        removedStores.formUnion(removed)
        makeFaultsOfRemovedStores()
    }

    /// Makes the objects of removed stores faults: firing one throws `.unknownStore`. Those with changes
    /// keep their values, so that the changes can be saved if the store is added again.
    func makeFaultsOfRemovedStores() {
        guard !removedStores.isEmpty else { return }
        for object in identityMap.objects where removedStores.contains(object.objectID.store) {
            if object.isFault || object.hasChanges || object.isInserted { continue }
            noteInvalidated(object)
            object.turnIntoFault(keepingChanges: false)
        }
    }

    /// Notes the new IDs of objects here and in every child.
    func announceIDs(_ newIDs: IDReplacements) {
        guard !newIDs.isEmpty else { return }
        replaceIDs(newIDs)
        children.forEach { $0.tell(newIDs: newIDs) }
    }

    /// Takes in permanent IDs that objects got in the parent context, and a source that was set.
    func readNewIDs() {
        guard !inbox.isEmpty else { return }
        if inbox.takeConnection() { takeConnectionIn() }
        replaceIDs(inbox.takeNewIDs())
        readUpserts()
    }

    /// Whether saves of others are merged as if ``mergeChanges(_:)`` were called with each: in a turn
    /// of their own, or with the next one.
    ///
    /// For a context on a coordinator these are the saves of its other contexts. For a child they are
    /// what the parent saves, what the parent merges, and what other children save to the parent.
    ///
    /// Changes of the context are kept on top. What cannot be merged, because the store cannot be
    /// read, leaves objects as they are and is told to ``mergeFailureHandler``.
    public var automaticallyMergesChangesFromParent: Bool {
        get { mergesAutomatically }
        set {
            requireTurn("automaticallyMergesChangesFromParent")
            mergesAutomatically = newValue
            inbox.keepSaves(waking: newValue ? Alarm(context: self).ring : nil)
        }
    }

    /// Asks for a turn of a context, for as long as there is one.
    private final class Alarm: @unchecked Sendable {
        // Unchecked: only a weak reference is read outside of the context's turns, which is atomic;
        // what it gives goes into a handle, and so into a turn.
        private weak var context: ManagedObjectContext?

        init(context: ManagedObjectContext) {
            self.context = context
        }

        func ring() {
            guard let handle = context.map(ContextHandle.init) else { return }
            Task { try await handle.perform { $0.readNews() } }
        }
    }
}
