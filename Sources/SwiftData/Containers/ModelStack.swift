internal import Cairn
internal import CairnModel
internal import CairnObjects
internal import CairnQueries
internal import CairnStack
internal import CairnStore
internal import Foundation
internal import Synchronization

/// The stores of a container, and the entities of its models. All contexts of the container share it.
final class ModelStack: Sendable {
    let schema: Schema
    let configurations: [ModelConfiguration]
    let coordinator: PersistentStoreCoordinator
    private let entities: [String: ModelEntity]
    private let entitiesByType: [ObjectIdentifier: ModelEntity]

    /// Opens the stores of configurations. Migrates those that were written with another version of the schema.
    ///
    /// - Throws: `GraphError` with the reasons why the schema is not valid, or why a store cannot be opened.
    init(
        _ schema: Schema, _ configurations: [ModelConfiguration],
        _ plan: (any SchemaMigrationPlan.Type)?
    ) throws {
        let names = Dictionary(
            configurations.compactMap { configuration in
                configuration.schema.map { schema in
                    (configuration.storeName, schema.types.map(ModelEntity.name))
                }
            }, uniquingKeysWith: +)
        let (model, entities) = try SchemaCompiler(schema).model(configurations: names)
        let container = PersistentContainer(
            name: "default", managedObjectModel: model, registry: .builtIn,
            classes: Self.classes(of: entities))
        container.persistentStoreDescriptions = configurations.map(\.description)
        if let plan {
            for description in container.persistentStoreDescriptions {
                description.historyExtension = { history throws(ModelError) in
                    try MigrationStages(plan, configurations: names).add(to: &history)
                }
            }
        }
        let failures = Mutex<[GraphError]>([])
        container.loadPersistentStores(callingBackOn: .global()) { _, failure in
            if let failure { failures.withLock { $0.append(failure) } }
        }
        if let failure = failures.withLock({ $0.first }) { throw failure }
        self.schema = schema
        self.configurations = configurations
        coordinator = container.persistentStoreCoordinator
        self.entities = Dictionary(
            entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        entitiesByType = Self.byType(self.entities)
    }

    /// Uses the stores of a coordinator, whose model was compiled from the schema.
    init(_ schema: Schema, _ entities: [ModelEntity], _ coordinator: PersistentStoreCoordinator) {
        self.schema = schema
        configurations = []
        self.coordinator = coordinator
        self.entities = Dictionary(
            entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        entitiesByType = Self.byType(self.entities)
    }

    private static func byType(
        _ entities: [String: ModelEntity]
    ) -> [ObjectIdentifier: ModelEntity] {
        Dictionary(
            entities.values.map { (ObjectIdentifier($0.type), $0) },
            uniquingKeysWith: { first, _ in first })
    }

    private static func classes(of entities: some Sequence<ModelEntity>) -> ObjectClasses {
        var classes = ObjectClasses(
            byEntity: Dictionary(
                entities.map { ($0.name, BackingData.self) },
                uniquingKeysWith: { first, _ in first }))
        for entity in entities { classes.marks[entity.name] = entity.marks }
        return classes
    }

    func makeContext() -> ManagedObjectContext {
        let context = ManagedObjectContext(
            source: coordinator, concurrencyType: .privateQueue,
            classes: Self.classes(of: entities.values), isConfined: true)
        // A new model that repeats unique values becomes the stored one.
        context.mergePolicy = StandardMergePolicy.mergeByPropertyObjectTrump
        context.automaticallyMergesChangesFromParent = true
        // A model has its values from its initializer.
        context.upsertsInitialValues = true
        return context
    }

    func entity(named name: String) -> ModelEntity? { entities[name] }

    /// Returns the entity of a model's class.
    ///
    /// - Throws: `.unknownEntity` if the schema does not contain the class.
    func entity(of type: any PersistentModel.Type) throws(GraphError) -> ModelEntity {
        guard let entity = entitiesByType[ObjectIdentifier(type)] else {
            throw .unknownEntity(ModelEntity.name(of: type), known: entities.keys.sorted())
        }
        return entity
    }
}

extension ModelConfiguration {
    /// A name that no configuration of another store has, because several may have the default name.
    fileprivate var storeName: String { isStoredInMemoryOnly ? "\(name) in memory" : id }

    fileprivate var description: PersistentStoreDescription {
        let type = StoreType(rawValue: isStoredInMemoryOnly ? "InMemory" : storeType)
        let description = PersistentStoreDescription(
            type: type, url: isStoredInMemoryOnly ? nil : url)
        description.configuration = schema.map { _ in storeName }
        description.isReadOnly = !allowsSave
        // An engine of the program may not be able to keep a history.
        let engine = try? StoreRegistry.builtIn.engine(ofType: type)
        if engine?.capabilities.options.contains(.tracksHistory) == true {
            description.options[.tracksHistory] = true
        }
        for (name, value) in options {
            description.options[StoreOption(rawValue: name)] = Self.optionValue(value)
        }
        return description
    }

    /// Returns the value of an option. The engine refuses a value that does not fit.
    private static func optionValue(_ value: any Sendable) -> MetadataValue {
        switch value {
        case let value as Bool: .boolean(value)
        case let value as Int: .integer(Int64(value))
        case let value as Double: .real(value)
        default: .string("\(value)")
        }
    }
}
