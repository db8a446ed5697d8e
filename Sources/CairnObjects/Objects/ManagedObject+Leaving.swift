import CairnModel
import CairnStack
import CairnThreads

/// How an object behaves after it left its context; see docs/decisions/saving-and-conflicts.md.
extension ManagedObject {
    /// The object that replaced this one in the context, because it has the same ID. Reads of this object
    /// return its values.
    ///
    /// `nil` for every other object, outside of the context's turns, and after the context was
    /// deallocated. This object then returns the values that were stored when it left.
    final var successor: ManagedObject? { state.contains(.superseded) ? findSuccessor() : nil }

    private final func findSuccessor() -> ManagedObject? {
        guard let context = kind.context else { return nil }
        return context.withObject { context in
            guard
                kind.turnOwner.isRunningThread
                    || MainQueue.isCurrent && context.queue.takesRunningThread()
            else { return nil }
            return context.registeredOrFault(objectID)
        }
    }

    /// Reports a value that cannot be read to ``ManagedObjectContext/faultFailureHandler``. Works for
    /// objects that left their context too.
    final func report(_ error: GraphError) { kind.failures.report(error, of: self) }

    /// The context, needed to follow a relationship.
    ///
    /// - Throws: `.objectGone` if the object left the context, or if the context was deallocated.
    package final var presentContext: ManagedObjectContext {
        get throws(GraphError) {
            guard let owner else { throw .objectGone(objectID, absence) }
            return owner
        }
    }
}

extension ManagedObject {
    /// The reason why the object has no values.
    final var absence: AbsenceReason {
        if state.contains(.gone) {
            state.contains(.deletedElsewhere) ? .deletedElsewhere : .deletedHere
        } else {
            owner == nil ? .leftContext : .notInStore
        }
    }
}
