import Cairn
import CairnTestSupport
import GraphSupport
import MigrationSupport
import Testing

/// Mapping models between random versions of a model, compared with an interpreter that works object by object.
@Suite struct `Random mapping models` {
    private static let count: Int = 12 * TestSetting.scale

    @Test func `make the objects that an interpreter makes`() throws {
        let first = SeededRandom.seed(of: "Random mapping models")
        var outcomes: [String: Int] = [:]
        for offset in 0..<UInt64(Self.count) {
            let outcome = try Self.run(seed: first &+ offset)
            outcomes[outcome, default: 0] += 1
        }
        print("Random mapping models: \(outcomes.sorted { $0.key < $1.key })")
        #expect(outcomes["by rows", default: 0] > 0)
        #expect(outcomes["with objects", default: 0] > 0)
    }

    private static func run(seed: UInt64) throws -> String {
        var random = RandomModel(seed: seed)
        guard let old = try? ManagedObjectModel(random.entities) else { return "no model" }
        for _ in 0..<3 { random.change() }
        let entities = random.entities.map { entity in
            // Required values are another test's subject.
            var entity = entity
            entity.properties = entity.properties.map { $0.optional }
            return entity
        }
        guard let new = try? ManagedObjectModel(entities) else { return "no new model" }
        // Every second mapping model needs objects.
        var author = MappingAuthor(old, new, seed: seed, usesObjects: seed % 2 == 0)
        let mapping = author.mapping()
        let words = "seed \(seed): \(mapping)"
        let resolved = ResolvedMapping(mapping, from: old, to: new)
        guard resolved.refusals.isEmpty else {
            Issue.record("\(words): \(resolved.refusals)")
            return "refused"
        }
        for (index, type) in everyFileEngine.enumerated() {
            let other = everyFileEngine[(index + Int(seed % 3) + 1) % everyFileEngine.count]
            for destination in [type, other] {
                do {
                    try check(
                        MigrationTrial(type, from: old, to: new), to: destination, mapping, seed,
                        words)
                } catch {
                    Issue.record("\(words), \(type) to \(destination): \(error)")
                }
            }
        }
        return resolved.needsObjects ? "with objects" : "by rows"
    }

    /// - Parameter destination: The engine of the migrated store. The store is replaced if it is the trial's engine.
    private static func check(
        _ trial: MigrationTrial, to destination: StoreType, _ mapping: MappingModel,
        _ seed: UInt64, _ words: String
    ) throws {
        let before = try trial.make(seed: seed)
        var history = ModelHistory(
            versions: [.init(name: "1", model: trial.old), .init(name: "2", model: trial.new)])
        history.add(mapping, named: "Random", from: trial.old, to: trial.new)
        history.register(EntityMigrationPolicy.self, as: MappingOracle.everyPolicy)
        history.register(OddPolicy.self, as: MappingOracle.oddPolicy)
        let manager = MigrationManager(destinationModel: trial.new, history: history)

        let found: StoreImage
        if destination == trial.type {
            try manager.migrateStore(at: trial.url, ofType: trial.type)
            found = try trial.image()
        } else {
            let other = try MigrationTrial(destination, from: trial.old, to: trial.new)
            try manager.migrateStore(
                from: trial.url, sourceType: trial.type, toDestinationURL: other.url,
                destinationType: destination)
            found = try other.image()
        }

        // A random store reserves 1,000 keys of each hierarchy.
        let oracle = MappingOracle(mapping, from: trial.old, to: trial.new, nextKey: 1001)
        let limits = Limits(mapping, from: trial.old, to: trial.new)
        let differences = limits.comparable(found)
            .differences(from: limits.comparable(oracle.migrated(before)))
        #expect(differences == [], "\(words), \(trial.type) to \(destination)")
    }
}

/// What a mapping model leaves open.
private struct Limits {
    private let new: ManagedObjectModel
    private let needsObjects: Bool
    /// The ordered relationships whose order does not follow from the old store, by name of the entity.
    private let unordered: [String: Set<String>]

    init(
        _ mapping: MappingModel, from old: ManagedObjectModel, to new: ManagedObjectModel
    ) {
        self.new = new
        let needsObjects = ResolvedMapping(mapping, from: old, to: new).needsObjects
        self.needsObjects = needsObjects
        var unordered: [String: Set<String>] = [:]
        for entity in new.entities {
            let ordered = entity.relationships.filter { $0.isOrdered && needsObjects }
            unordered[entity.name] = Set(
                ordered.filter { !Self.isKept($0, by: mapping, old) }.map(\.name))
        }
        self.unordered = unordered
    }

    /// Returns whether the mapping sets the relationship of all objects from ordered relationships.
    private static func isKept(
        _ relationship: Relationship, by mapping: MappingModel, _ old: ManagedObjectModel
    ) -> Bool {
        mapping.entityMappings.allSatisfy { entityMapping in
            guard
                let expression = entityMapping.relationshipMappings
                    .first(where: { $0.name == relationship.name })?.valueExpression,
                case .function(_, let arguments) = expression,
                case .keyPathOf(_, let names)? = arguments.last, names.count == 1,
                let source = entityMapping.sourceEntityName.flatMap(old.entity)
            else { return false }
            return source.relationship(named: names[0])?.isOrdered ?? false
        }
    }

    /// Returns an image without versions and orders that may differ.
    func comparable(_ image: StoreImage) -> StoreImage {
        guard needsObjects else { return image }
        var image = image
        for (id, object) in image.objects {
            image.objects[id]?.version = 1
            for name in unordered[id.entity] ?? [] {
                image.objects[id]?.toManys[name] = object.toManys[name]?.sorted()
            }
        }
        return image
    }
}

/// Makes objects only for old objects with odd keys.
private final class OddPolicy: EntityMigrationPolicy {
    override func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        if source.objectID.key % 2 == 0 { return }
        try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
    }
}

extension PropertyDescription {
    fileprivate var optional: PropertyDescription {
        switch self {
        case .attribute(var attribute):
            attribute.isOptional = true
            return .attribute(attribute)
        case .relationship(var relationship):
            relationship.isOptional = true
            return .relationship(relationship)
        case .fetchedProperty: return self
        }
    }
}

/// Writes random mapping models that fit two versions.
private struct MappingAuthor {
    private let old: ManagedObjectModel
    private let new: ManagedObjectModel
    private let usesObjects: Bool
    private var random: SeededRandom

    init(
        _ old: ManagedObjectModel, _ new: ManagedObjectModel, seed: UInt64, usesObjects: Bool
    ) {
        self.old = old
        self.new = new
        self.usesObjects = usesObjects
        random = SeededRandom(seed: seed &+ 1)
    }

    mutating func mapping() -> MappingModel {
        var mappings: [EntityMapping] = []
        for entity in new.entities where !entity.isAbstract {
            for number in 0..<Int.random(in: 0...2, using: &random) {
                guard
                    let source = old.entities.filter({ !$0.isAbstract })
                        .randomElement(using: &random)
                else { continue }
                let policies: [String?] =
                    usesObjects ? [nil, MappingOracle.everyPolicy, MappingOracle.oddPolicy] : [nil]
                let policy = policies.randomElement(using: &random) ?? nil
                mappings.append(
                    EntityMapping(
                        "\(source.name)To\(entity.name)\(number)", from: source.name,
                        to: entity.name,
                        attributes: attributes(of: entity, from: source, policy), policy: policy))
            }
        }
        relate(&mappings)
        return MappingModel(mappings)
    }

    // MARK: Attributes

    private mutating func attributes(
        of entity: Entity, from source: Entity, _ policy: String?
    ) -> [PropertyMapping] {
        entity.attributes.filter { !$0.isTransient }.compactMap { attribute in
            // A policy sets values as a program does, which does not convert them.
            let fitting: (Attribute) -> Bool = { read in
                !read.isTransient
                    && (read.type == attribute.type
                        || policy == nil && read.type.convertsLosslessly(to: attribute.type))
            }
            var paths = source.attributes.filter(fitting).map { [$0.name] }
            for toOne in source.relationships where !toOne.isToMany {
                // Bytes of other rows need objects.
                let ends = toOne.destination.attributes
                    .filter { fitting($0) && (usesObjects || $0.type != .binary) }
                paths += ends.map { [toOne.name, $0.name] }
                for next in toOne.destination.relationships where !next.isToMany {
                    paths += next.destination.attributes
                        .filter { fitting($0) && $0.type != .binary }
                        .map { [toOne.name, next.name, $0.name] }
                }
            }
            if usesObjects, attribute.type == .integer32 || attribute.type == .integer64 {
                paths += source.relationships.filter(\.isToMany).map { [$0.name, "@count"] }
            }
            let constant = Self.constant(of: attribute.type)
            if constant != .null, Int.random(in: 0..<6, using: &random) == 0 {
                return PropertyMapping(attribute.name, .constant(constant))
            }
            guard let path = paths.randomElement(using: &random) else {
                return Bool.random(using: &random) ? PropertyMapping(attribute.name, nil) : nil
            }
            return PropertyMapping(attribute.name, .keyPathOf(.variable("source"), path))
        }
    }

    private static func constant(of type: AttributeType) -> Value {
        switch type {
        case .string: .string("constant")
        case .integer16, .integer32, .integer64: .integer(-5)
        case .double: .double(0.125)
        case .boolean: .boolean(true)
        default: .null
        }
    }

    // MARK: Relationships

    /// Gives one side of each relationship a rule in every mapping that can have one.
    private mutating func relate(_ mappings: inout [EntityMapping]) {
        var decided: Set<Relationship> = []
        for entity in new.entities {
            for case .relationship(let relationship) in entity.ownProperties
            where !relationship.isTransient && !decided.contains(relationship) {
                decided.insert(relationship)
                guard let inverse = relationship.inverse else {
                    for index in mappings.indices { add(relationship, to: &mappings, index) }
                    continue
                }
                decided.insert(inverse)
                // A relationship that is its own inverse has each pair in both directions, which the
                // relationship that is read may not have.
                if inverse == relationship { continue }
                let sides = [(relationship, inverse), (inverse, relationship)]
                guard let (told, other) = sides.randomElement(using: &random) else { continue }
                if other.isToMany {
                    for index in mappings.indices { add(told, to: &mappings, index) }
                } else if let index = mappings.indices.randomElement(using: &random) {
                    // Otherwise, several objects could lead to the same one.
                    add(told, to: &mappings, index, isUnique: true)
                }
            }
        }
    }

    /// - Parameter isUnique: Whether no two objects may have the same destination.
    private mutating func add(
        _ relationship: Relationship, to mappings: inout [EntityMapping], _ index: Int,
        isUnique: Bool = false
    ) {
        guard let source = mappings[index].sourceEntityName.flatMap(old.entity),
            let destination = mappings[index].destinationEntityName.flatMap(new.entity),
            destination.isKind(of: relationship.entity),
            let path = paths(from: source).filter({ path in
                (relationship.isToMany || path.allSatisfy { !$0.isToMany })
                    && (!isUnique || path.allSatisfy { $0.inverse.map { !$0.isToMany } ?? false })
            }).randomElement(using: &random)
        else { return }
        let end = path.last?.destination ?? source
        let fitting = mappings.filter { candidate in
            guard let from = candidate.sourceEntityName.flatMap(old.entity),
                let to = candidate.destinationEntityName.flatMap(new.entity)
            else { return false }
            return from.isKind(of: end) && to.isKind(of: relationship.destination)
        }
        guard let target = fitting.randomElement(using: &random) else { return }
        var selector = "destinationInstancesForEntityMappingNamed:sourceInstances:"
        var name = target.name
        // The objects of all mappings are too many for a to-one relationship.
        if let first = path.first, path.count == 1, relationship.isToMany, !isUnique,
            Bool.random(using: &random)
        {
            selector = "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
            name = first.name
        }
        let object = FetchExpression.variable("source")
        mappings[index].relationshipMappings.append(
            PropertyMapping(
                relationship.name,
                .function(
                    selector,
                    [
                        .variable("manager"), .constant(.string(name)),
                        path.isEmpty ? object : .keyPathOf(object, path.map(\.name)),
                    ])))
    }

    /// Returns the paths of at most two relationships.
    private func paths(from entity: Entity) -> [[Relationship]] {
        let first = entity.relationships.filter { !$0.isTransient }
        return [[]] + first.map { [$0] }
            + first.flatMap { hop in
                hop.destination.relationships.filter { !$0.isTransient }.map { [hop, $0] }
            }
    }
}
