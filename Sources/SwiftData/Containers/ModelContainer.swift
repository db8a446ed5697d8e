internal import CairnModel
internal import CairnObjects
internal import CairnQueries

/// The stores of a schema's models, and the context for the user interface.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self)
/// let context = ModelContext(container)
/// ```
///
/// A container can be used from any thread.
public final class ModelContainer: Sendable {
    let stack: ModelStack
    @MainActor private var mainContextIfCreated: ModelContext?

    /// The models of the stores.
    public var schema: Schema { stack.schema }
    /// The configurations of the stores.
    public var configurations: Set<ModelConfiguration> { Set(stack.configurations) }

    /// Opens the stores of a schema. A store that was written with another version of the schema is migrated.
    ///
    /// - Parameters:
    ///   - schema: The models of the stores.
    ///   - migrationPlan: The earlier versions, and the code of the steps between them. `nil` means that all
    ///     migrations are inferred.
    ///   - configurations: The stores. An empty list means one store with the default configuration.
    /// - Throws: An error that describes all problems of the schema, or why a store cannot be opened or migrated. In the
    ///   latter case, it is unchanged.
    public init(
        for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: [ModelConfiguration]
    ) throws {
        stack = try ModelStack(
            schema, configurations.isEmpty ? [ModelConfiguration()] : configurations, migrationPlan)
    }

    /// Opens the stores of a schema. See ``init(for:migrationPlan:configurations:)``.
    ///
    /// - Parameters:
    ///   - schema: The models of the stores.
    ///   - migrationPlan: The earlier versions, and the code of the steps between them.
    ///   - configurations: The stores. An empty list means one store with the default configuration.
    /// - Throws: The same errors as ``init(for:migrationPlan:configurations:)``.
    public convenience init(
        for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: ModelConfiguration...
    ) throws {
        try self.init(for: schema, migrationPlan: migrationPlan, configurations: configurations)
    }

    /// Opens the stores of models, and of those that their relationships lead to.
    ///
    /// - Parameters:
    ///   - types: The models.
    ///   - migrationPlan: The earlier versions, and the code of the steps between them.
    ///   - configurations: The stores. An empty list means one store with the default configuration.
    /// - Throws: The same errors as ``init(for:migrationPlan:configurations:)``.
    public convenience init(
        for types: any PersistentModel.Type...,
        migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: ModelConfiguration...
    ) throws {
        try self.init(
            for: Schema(types), migrationPlan: migrationPlan, configurations: configurations)
    }

    init(_ stack: ModelStack) { self.stack = stack }

    /// The context for the user interface, which saves by itself at the end of each event of the main actor. Calls block
    /// the main thread while they read or write a store.
    @MainActor public var mainContext: ModelContext {
        if let made = mainContextIfCreated { return made }
        let context = ModelContext(self, isMain: true)
        mainContextIfCreated = context
        return context
    }

    /// Deletes all models of all stores, without the models' delete rules.
    ///
    /// - Throws: The errors of a batch deletion. Stores before the one that failed are already empty.
    public func deleteAllData() throws {
        let context = stack.makeContext()
        for entity in context.managedObjectModel.entities where entity.superentity == nil {
            var request = BatchDeleteRequest(fetchRequest: FetchRequest(entity.name))
            request.appliesDeleteRules = false
            try context.execute(request)
        }
    }
}
