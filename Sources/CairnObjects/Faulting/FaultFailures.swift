import CairnStack
import Logging

/// Reports values that could not be read by accessors that do not throw.
///
/// A context and the kinds of its objects share one instance. The handler is therefore also called for
/// objects that left the context, even after the context was deallocated.
final class FaultFailures {
    /// Called for each failure. If it is `nil`, each failure is logged as an error.
    var handler: ((GraphError, ManagedObject) -> Void)?
    /// The monitor of the context's coordinator. `nil` if the context has no coordinator.
    var monitor: OperationMonitor?

    func report(_ error: GraphError, of object: ManagedObject) {
        if let handler { return handler(error, object) }
        let logger = monitor?.logger ?? Monitoring().logger
        logger.error(
            "A value could not be read: \(error)",
            metadata: ["entity": "\(object.entity.name)", "object": "\(object.objectID)"])
    }
}
