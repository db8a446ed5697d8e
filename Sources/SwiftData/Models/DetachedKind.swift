internal import CairnModel
internal import CairnObjects
internal import CairnStack

/// What the backing data of all models without a context share.
enum DetachedKind {
    // The kind does not change after it was made: its context is gone, and nothing observes its objects.
    nonisolated(unsafe) private static let kind: ObjectKind = {
        do {
            let entity = "ModelWithoutContext"
            var classes = ObjectClasses(byEntity: [entity: BackingData.self])
            classes.marks[entity] = ClassMarks(offsets: [])
            let context = ManagedObjectContext(
                source: PersistentStoreCoordinator(
                    managedObjectModel: try ManagedObjectModel(
                        ModelDescription([EntityDescription(entity)]))),
                concurrencyType: .privateQueue,
                classes: classes, isConfined: true)
            return try context.kinds.kind(named: entity)
        } catch {
            preconditionFailure("the model of models without a context is not valid: \(error)")
        }
    }()

    /// What backing data without a context is created from.
    static var seed: ManagedObject._Seed {
        ManagedObject._Seed(
            kind: kind,
            id: ObjectID(
                store: StoreNumber(rawValue: 0), rootEntity: kind.rootNumber, entity: kind.number,
                key: 0),
            row: nil)
    }
}
