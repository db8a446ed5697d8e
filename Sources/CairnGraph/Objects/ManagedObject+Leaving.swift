import CairnModel

/// What an object answers after it left its context; decisions 0113 and 0123.
extension ManagedObject {
    /// The object that answers for this one, which left its context because the other one has its ID.
    ///
    /// `nil` for every other object, outside of the context's turns, and after the context went: this
    /// object then answers with the values that were stored when it left.
    final var successor: ManagedObject? { state.contains(.superseded) ? findSuccessor() : nil }

    private final func findSuccessor() -> ManagedObject? {
        guard let context = kind.context else { return nil }
        return context.withObject { context in
            guard
                kind.turnOwner.isRunningThread
                    || MainQueue.isCurrent && context.queue.isMainQueueCurrent()
            else { return nil }
            return context.registeredOrFault(objectID)
        }
    }

    /// Reports a value that cannot be had to ``ManagedObjectContext/faultFailureHandler``, which an
    /// object that left its context reaches too.
    final func report(_ error: GraphError) { kind.failures.report(error, of: self) }

    /// The context, for following a relationship.
    ///
    /// - Throws: `.objectGone` if the object left it, or if it went.
    final var presentContext: ManagedObjectContext {
        get throws(GraphError) {
            guard let owner else { throw .objectGone(objectID) }
            return owner
        }
    }
}
