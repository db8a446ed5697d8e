/// A version of a program's models: usually an enum that contains the classes of the version.
///
/// ```swift
/// enum SchemaV1: VersionedSchema {
///     static let versionIdentifier = Schema.Version(1, 0, 0)
///     static var models: [any PersistentModel.Type] { [Trip.self] }
///
///     @Model final class Trip { … }
/// }
/// ```
public protocol VersionedSchema: SendableMetatype {
    /// The models of the version.
    static var models: [any PersistentModel.Type] { get }
    /// The version.
    static var versionIdentifier: Schema.Version { get }
}

/// The versions of a program's models, and the steps between them.
public protocol SchemaMigrationPlan: SendableMetatype {
    /// The versions, from the oldest to the newest.
    static var schemas: [any VersionedSchema.Type] { get }
    /// The steps, from the oldest to the newest. Steps that are not listed are inferred.
    static var stages: [MigrationStage] { get }
}

/// A step of a migration.
public enum MigrationStage: Sendable {
    /// A step that is inferred from the differences of two versions.
    case lightweight(
        fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
    /// A step that is inferred, with code before and after it. Each closure gets a context of a copy of the store, in the
    /// version before or after the step, and saves what it changes. The store is only replaced if no closure throws.
    case custom(
        fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
        willMigrate: (@Sendable (ModelContext) throws -> Void)?,
        didMigrate: (@Sendable (ModelContext) throws -> Void)?)
}
