import CairnModel
import CairnObjects
import CairnStack

extension ModelHistory {
    /// Adds code that runs for each object of an entity when a store is migrated to a version.
    ///
    /// ```swift
    /// history.migrate("Person", to: model) { old, new in
    ///     let text = try old.value(forKey: "born") as? String
    ///     try new.setValue(text.flatMap(parse), forKey: "born")
    /// }
    /// ```
    ///
    /// The migration first copies all objects, with the values and relationships that can be inferred.
    /// Then it runs the code for each object in the order of keys, with the object as it was and as it
    /// is now. Changes of properties of this entity that cannot be inferred are left to the code: such a property
    /// begins with its default value, or without a value. When the code of the step has run, every required
    /// attribute and to-one relationship of these objects must have a value. The old store is replaced
    /// only after that, so an error or a crash leaves it unchanged.
    ///
    /// A store of an older version first passes through the version before this one, so that the old object
    /// always has the properties that the code expects. The code may read other old objects through
    /// relationships, and insert, change and delete objects in `new.managedObjectContext`. That context is
    /// saved after at most 4,096 objects. Code of several entities runs in the order in which it was added.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity in the version before. The code also runs for objects of its
    ///     subentities. A migration is refused if the entity does not exist there or is removed in the step.
    ///   - version: The version that the step leads to: one of ``versions``, or the program's own model.
    ///   - body: The code. It runs on the thread of the migration. If it throws, the migration throws
    ///     `.store` with `.migrationFailed`, which contains the error.
    public mutating func migrate(
        _ entity: String, to version: ManagedObjectModel,
        _ body: @escaping @Sendable (_ old: ManagedObject, _ new: ManagedObject) throws -> Void
    ) {
        code.append(
            Code(entity: entity, destination: version, body: ObjectCode(body: body)))
    }
}

extension ModelHistory {
    /// Adds a stage of a staged migration: a step between two versions with code before and after it.
    ///
    /// Core Data's type is `NSCustomMigrationStage`. A store of the source version, or of an older one, passes
    /// through both versions. The step itself is inferred, or executes a mapping model. The code runs on a copy
    /// that no one else uses, and the context is saved after each call. The old store is replaced only when all
    /// stages are complete, so an error or a crash leaves it unchanged. Steps without code need no stage.
    ///
    /// - Parameters:
    ///   - source: The version that the step starts from.
    ///   - destination: The version that it leads to.
    ///   - willMigrate: Called before the step, with a context of the source version. `nil` means no code.
    ///   - didMigrate: Called after the step, with a context of the destination version. `nil` means no code.
    public mutating func addStage(
        from source: ManagedObjectModel, to destination: ManagedObjectModel,
        willMigrate: (@Sendable (ManagedObjectContext) throws -> Void)? = nil,
        didMigrate: (@Sendable (ManagedObjectContext) throws -> Void)? = nil
    ) {
        code.append(
            Code(
                source: source, destination: destination,
                body: StepHandlers(willMigrate: willMigrate, didMigrate: didMigrate)))
    }
}
