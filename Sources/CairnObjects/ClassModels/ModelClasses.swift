import CairnModel
import Synchronization

/// The classes from which models were created. They give new objects their initial values, even in a context
/// that creates the objects without their class.
package struct ModelClasses: Sendable {
    private weak let model: ManagedObjectModel?
    private let classes: ObjectClasses

    private static let known = Mutex<[ModelClasses]>([])

    package static func note(_ classes: [ManagedObject.Type], of model: ManagedObjectModel) {
        let new = ModelClasses(model: model, classes: ObjectClasses(classes))
        known.withLock { known in
            known.removeAll { $0.model == nil }
            known.append(new)
        }
    }

    static func objectClass(of entity: Entity) -> ManagedObject.Type? {
        known.withLock { known in
            known.first { $0.model === entity.model }?.classes.objectClass(of: entity)
        }
    }
}
