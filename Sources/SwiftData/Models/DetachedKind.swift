internal import CairnModel
internal import CairnObjects
internal import CairnStack

/// What the backing data of all models without a context share.
enum DetachedKind {
    // Neither changes after the kind was made: its context is gone, and nothing observes its objects.
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
            let kind = try context.kinds.kind(named: entity)
            kind.trackingOffset = TrackingWord.offset
            return kind
        } catch {
            preconditionFailure("the model of models without a context is not valid: \(error)")
        }
    }()

    /// What backing data without a context is created from.
    nonisolated(unsafe) static let seed = ManagedObject._Seed(
        kind: kind,
        id: ObjectID(
            store: StoreNumber(rawValue: 0), rootEntity: kind.rootNumber, entity: kind.number,
            key: 0),
        row: nil)
}
