import CairnModel
import CairnObjects
import CairnStack

/// What policies use during a migration. At other times, these methods stop the program, because there are no objects.
extension MigrationManager {
    /// The context with the objects of the old store, all of them of the class `ManagedObject`. It is read-only.
    public var sourceContext: ManagedObjectContext { running.old }
    /// The context with the new objects.
    public var destinationContext: ManagedObjectContext { running.new }
    /// The rules that are executed.
    public var mappingModel: MappingModel {
        MappingModel(running.rules.rules.map(\.mapping))
    }
    /// The mapping whose policy is called.
    public var currentEntityMapping: EntityMapping { running.current }
    /// Values that policies share. Empty when a migration begins.
    public var userInfo: [AnyHashable: Any] {
        get { running.userInfo }
        set { running.userInfo = newValue }
    }

    /// Returns the entity whose objects a mapping reads, or `nil` if it reads none.
    public func sourceEntity(for mapping: EntityMapping) -> Entity? {
        mapping.sourceEntityName.flatMap(running.rules.old.entity)
    }

    /// Returns the entity whose objects a mapping creates, or `nil` if it creates none.
    public func destinationEntity(for mapping: EntityMapping) -> Entity? {
        mapping.destinationEntityName.flatMap(running.rules.new.entity)
    }

    /// Notes that a new object continues an object of the old store.
    public func associate(
        sourceInstance source: ManagedObject, withDestinationInstance destination: ManagedObject,
        for mapping: EntityMapping
    ) {
        running.associate(source, destination, mapping.name)
    }

    /// Returns the new objects that continue objects of the old store, in the order of those.
    ///
    /// - Parameters:
    ///   - name: The mapping that created the new objects. `nil` means all mappings.
    ///   - sources: Objects of the old store. `nil` means all objects that the mapping reads.
    public func destinationInstances(
        forEntityMappingName name: String?, sourceInstances sources: [ManagedObject]?
    ) -> [ManagedObject] {
        running.destinations(name, sources?.map(\.objectID))
    }

    /// Returns the objects of the old store that new objects continue, in the order of those.
    ///
    /// - Parameters:
    ///   - name: The mapping that created the new objects. `nil` means all mappings.
    ///   - destinations: New objects.
    public func sourceInstances(
        forEntityMappingName name: String?, destinationInstances destinations: [ManagedObject]
    ) -> [ManagedObject] {
        running.sources(name, destinations)
    }

    /// Ends the migration with an error after the current call of a policy.
    public func cancelMigrationWithError(_ error: any Error) { running.failure = error }

    private var running: ObjectMigration {
        guard let migration = current.withLock({ $0 }) else {
            preconditionFailure("the migration manager has objects only while policies run")
        }
        return migration
    }

    func objects() throws(GraphError) -> ObjectMigration { running }
}
