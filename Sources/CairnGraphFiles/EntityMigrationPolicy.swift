import CairnModel
import CairnObjects

/// Creates the objects of an entity mapping, instead of its expressions alone.
///
/// Core Data's class is `NSEntityMigrationPolicy`. A subclass overrides the methods of the steps in which it takes
/// part, and calls `super` for what the mapping model says. Register it with
/// ``CairnModel/ModelHistory/register(_:as:)``.
///
/// A migration creates one policy for each entity mapping. It calls ``begin(_:with:)`` and the methods of the first
/// step for all mappings, in their order, then those of the second step for all mappings, and so on. All methods
/// are called on the thread of the migration, in turns of both contexts. An error that a method throws ends the
/// migration, which then throws `.store` with `.migrationFailed` and leaves the store unchanged.
///
/// Objects of mappings without a policy exist before the first step, with their values, and with their relationships
/// to objects of such mappings. New objects are saved after at most 4,096 source objects, without checking the
/// model's rules. A policy may hold objects for as long as it exists.
open class EntityMigrationPolicy {
    /// Creates a policy. A migration creates one for each entity mapping.
    public required init() {}

    /// Called before the first object is created.
    open func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {}

    /// Creates the new objects for one object of the old store, and associates them with it.
    ///
    /// The default implementation creates one object, sets the attributes that the mapping lists, and calls
    /// ``MigrationManager/associate(sourceInstance:withDestinationInstance:for:)``.
    open func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        let migration = try manager.objects()
        let object = try migration.new.insertNewObject(
            forEntityName: mapping.destinationEntityName ?? "")
        try migration.setAttributes(
            mapping.attributeMappings, of: object, from: source, in: mapping, self)
        manager.associate(
            sourceInstance: source, withDestinationInstance: object, for: mapping)
    }

    /// Called when the objects of the mapping have been created.
    open func endInstanceCreation(
        forMapping mapping: EntityMapping, manager: MigrationManager
    ) throws {}

    /// Sets the relationships of one new object, when all objects of all mappings exist.
    ///
    /// The default implementation sets the relationships that the mapping lists with an expression.
    open func createRelationships(
        forDestination destination: ManagedObject, in mapping: EntityMapping,
        manager: MigrationManager
    ) throws {
        let migration = try manager.objects()
        let source = manager.sourceInstances(
            forEntityMappingName: mapping.name, destinationInstances: [destination]
        ).first
        try migration.setRelationships(
            mapping.relationshipMappings, of: destination, from: source, in: mapping, self)
    }

    /// Called when the relationships of the mapping's objects have been set.
    open func endRelationshipCreation(
        forMapping mapping: EntityMapping, manager: MigrationManager
    ) throws {}

    /// Checks the objects, when all of them are complete. The model's rules are checked after that.
    open func performCustomValidation(
        forMapping mapping: EntityMapping, manager: MigrationManager
    ) throws {}

    /// Called at the end of the migration.
    open func end(_ mapping: EntityMapping, manager: MigrationManager) throws {}

    /// Returns the value of an expression of the form `FUNCTION($entityPolicy, "selector:", arguments…)`.
    ///
    /// In Core Data, the policy has a method of this name. In Cairn, it overrides this method, and looks at the
    /// selector. The default implementation throws an error that names the policy and the selector.
    ///
    /// - Parameters:
    ///   - selector: The name of the method, with its colons.
    ///   - arguments: Values, objects, arrays of objects, or the mapping or manager itself.
    open func value(forFunction selector: String, arguments: [Any?]) throws -> Any? {
        throw MappingFailure.unknownFunction(selector, of: "the policy \(type(of: self))")
    }
}

extension ModelHistory {
    /// Registers a policy for the entity mappings that name it.
    ///
    /// - Parameters:
    ///   - policy: The class.
    ///   - name: The name in the mapping model. `nil` means the name of the class with its module. A name in a
    ///     mapping model also leads to a policy whose name differs only in the module, and may be mangled, as in
    ///     `_TtC4Shop11PricePolicy`. A later policy of the same name replaces an earlier one.
    public mutating func register(_ policy: EntityMigrationPolicy.Type, as name: String? = nil) {
        policies.append(
            Policy(name: name ?? String(reflecting: policy), body: PolicyClass(type: policy)))
    }

    /// Sets the classes of the new objects that policies and code get. Without this, they are of the class
    /// `ManagedObject`. Objects of the old store always are.
    public mutating func register(_ classes: ObjectClasses) { objectClasses = classes }
}

/// The class of a policy.
struct PolicyClass: Sendable { let type: EntityMigrationPolicy.Type }

/// The reason that a mapping model could not be executed for an object.
enum MappingFailure: Error, CustomStringConvertible {
    case unknownFunction(String, of: String)
    case unknownExpression(String, property: String, mapping: String)
    case severalDestinations(relationship: String)

    var description: String {
        switch self {
        case .unknownFunction(let selector, let owner):
            "The function “\(selector)” is not one of \(owner). If a mapping model calls it, override"
                + " value(forFunction:arguments:)."
        case .unknownExpression(let expression, let property, let mapping):
            "The expression “\(expression)” for “\(property)” in the entity mapping “\(mapping)” has a form"
                + " that Cairn does not execute. Set the property in a policy."
        case .severalDestinations(let relationship):
            "The to-one relationship “\(relationship)” would get several destinations. Choose one of them in a"
                + " policy."
        }
    }
}
