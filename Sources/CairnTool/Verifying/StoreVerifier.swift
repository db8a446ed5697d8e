import Cairn
import CairnStore

/// A check that a store's objects agree with its model: references lead to objects, inverses agree, required
/// values exist, and counts are correct.
struct StoreVerifier {
    /// A problem in the store.
    struct Problem: Hashable, CustomStringConvertible {
        /// The kinds of problems, in the order of their severity. The raw values are the exit codes of
        /// `cairn store verify`.
        enum Kind: Int32, Comparable {
            /// A rule of the model is broken, or values belong to nothing in the model.
            case brokenRule = 3
            /// The file of a large value is missing.
            case missingFile = 4
            /// The store's file is damaged.
            case damage = 5

            static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
        }

        var object: String
        var property: String?
        var detail: String
        var kind = Kind.brokenRule

        var description: String {
            object + (property.map { ".\($0)" } ?? "") + ": " + detail
        }
    }

    /// The results of the check.
    struct Report {
        var objectCount = 0
        var referenceCount = 0
        var problems: [Problem] = []
        /// The references that lead to no object although the store is sound, because nothing keeps them
        /// intact.
        var allowed: [Problem] = []
    }

    let snapshot: any StoreSnapshot
    let layouts: RowLayouts
    /// The keys of all objects to which the store's references may lead. `nil` to check no keys.
    var targets: ReferenceKeys?

    /// Checks the whole store, which is read twice.
    ///
    /// - Throws: The errors of the snapshot.
    func verify() throws -> Report {
        var report = Report()
        let known = try index(&report)
        let reader = ObjectReader(snapshot: snapshot, layouts: layouts)
        var pairs = PairBalance()
        try reader.forEach { object in
            try check(object, known: known, pairs: &pairs, report: &report)
        }
        report.problems += try oneWayWalks(pairs.unbalanced(in: layouts.model), known)
        try checkCounts(&report, known: known)
        return report
    }

    /// Returns the concrete entity of every object, and reports problems of the objects themselves.
    private func index(_ report: inout Report) throws -> [ObjectID: EntityNumber] {
        var known: [ObjectID: EntityNumber] = [:]
        let reader = ObjectReader(snapshot: snapshot, layouts: layouts)
        try reader.forEach { object in
            report.objectCount += 1
            if known.updateValue(object.row.entity, forKey: object.row.id) != nil {
                report.problems.append(problem(object, nil, "the key occurs twice", .damage))
            }
            if object.layout.entity.isAbstract {
                report.problems.append(problem(object, nil, "its entity is abstract"))
            }
        }
        return known
    }

    /// Returns a problem for each pair without a pair in the opposite direction. Reads the store again only
    /// if there are such pairs.
    private func oneWayWalks(
        _ relationships: [Relationship], _ known: [ObjectID: EntityNumber]
    ) throws -> [Problem] {
        guard !relationships.isEmpty else { return [] }
        var collector = PairCollector(relationships)
        let reader = ObjectReader(snapshot: snapshot, layouts: layouts)
        try reader.forEach { object in
            object.forEachWalk {
                if known[$1] != nil { collector.add($0, from: object.row.id, to: $1) }
            }
        }
        return collector.problems(in: layouts.model)
    }

    private func check(
        _ object: ObjectReader.Object, known: [ObjectID: EntityNumber],
        pairs: inout PairBalance, report: inout Report
    ) throws(StoreError) {
        for (property, slot) in zip(object.layout.properties, object.layout.slots)
        where property.isRequired && object.row.isNull(slot) {
            report.problems.append(problem(object, property, "the required value is nil"))
        }
        try checkExternalData(of: object, &report)
        checkReferences(of: object, &report)
        for (relationship, ids) in object.members {
            // Core Data saves an object whose required to-many is empty, unless the minimum count is greater
            // than 0.
            if ids.isEmpty, !relationship.isOptional, relationship.description.minimumCount > 0 {
                report.problems.append(
                    problem(
                        object, .relationship(relationship), "the required relationship is empty"))
            }
            if Set(ids).count != ids.count {
                report.problems.append(
                    problem(
                        object, .relationship(relationship), "a member occurs twice", .damage))
            }
        }
        object.forEachWalk { relationship, destination in
            report.referenceCount += 1
            if known[destination] != nil {
                pairs.add(relationship, from: object.row.id, to: destination)
            }
            check(destination, of: relationship, object, known: known, report: &report)
        }
    }

    private func checkReferences(of object: ObjectReader.Object, _ report: inout Report) {
        guard let targets else { return }
        for (property, slot) in zip(object.layout.properties, object.layout.slots) {
            guard case .attribute(let attribute) = property, let target = attribute.reference,
                !object.row.isNull(slot)
            else { continue }
            report.referenceCount += 1
            if targets.isMissing(object.row.value(slot), of: target) {
                report.allowed.append(
                    problem(
                        object, property,
                        "its key leads to no object of \(target.entity.name) (allowed: a reference"
                            + " by key has no delete rule)"))
            }
        }
    }

    private func checkExternalData(
        of object: ObjectReader.Object, _ report: inout Report
    ) throws(StoreError) {
        for (property, slot) in zip(object.layout.properties, object.layout.slots)
        where slot.kind == .externalBinary && !object.row.isNull(slot) {
            guard case .reference(let reference) = object.row.externalBinary(slot) else { continue }
            do {
                _ = try snapshot.externalData(reference)
            } catch {
                guard let path = error.pathOfMissingData else { throw error }
                report.problems.append(
                    problem(
                        object, property,
                        "the file \(VisibleText.line(path)), which contains its value, is missing",
                        .missingFile))
            }
        }
    }

    private func check(
        _ destination: ObjectID, of relationship: Relationship, _ object: ObjectReader.Object,
        known: [ObjectID: EntityNumber], report: inout Report
    ) {
        let name = destination.shortName(in: layouts.model)
        guard let entity = known[destination] else {
            let detail = "leads to \(name), which does not exist"
            if let reason = relationship.reasonToLeadNowhere {
                report.allowed.append(
                    problem(object, .relationship(relationship), "\(detail) (allowed: \(reason))"))
            } else {
                report.problems.append(problem(object, .relationship(relationship), detail))
            }
            return
        }
        let isKind = relationship.destination.hierarchyNumbers.contains(entity)
        if !isKind || entity != destination.entity {
            report.problems.append(
                problem(
                    object, .relationship(relationship),
                    "leads to \(name), which belongs to another entity"))
        }
    }

    /// Checks that each count that the engine returns equals the number of rows that it returns.
    private func checkCounts(
        _ report: inout Report, known: [ObjectID: EntityNumber]
    ) throws(StoreError) {
        let counts = known.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        for entity in layouts.model.entities {
            let plan = FetchPlan(entity: entity, includesSubentities: false)
            guard let count = try snapshot.count(plan) else { continue }
            let found = counts[entity.number, default: 0]
            if count != found {
                report.problems.append(
                    Problem(
                        object: entity.name, property: nil,
                        detail: "the store counts \(count) objects, but returns \(found)",
                        kind: .damage))
            }
        }
    }

    private func problem(
        _ object: ObjectReader.Object, _ property: Property?, _ detail: String,
        _ kind: Problem.Kind = .brokenRule
    ) -> Problem {
        Problem(
            object: object.row.id.shortName(in: layouts.model), property: property?.name,
            detail: detail, kind: kind)
    }
}

extension Property {
    fileprivate var isRequired: Bool {
        switch self {
        case .attribute(let attribute): !attribute.isOptional
        case .relationship(let relationship): !relationship.isOptional
        case .fetchedProperty: false
        }
    }
}

extension Relationship {
    /// The reason that a reference may lead to an object that was deleted. `nil` if saves keep the
    /// relationship's references intact. See `docs/decisions/saving-and-conflicts.md`.
    fileprivate var reasonToLeadNowhere: String? {
        guard let inverse else { return "the relationship has no inverse" }
        if inverse.deleteRule != .noAction { return nil }
        return "the delete rule of \(inverse.entity.name).\(inverse.name) is noAction"
    }
}

/// A comparison of the two directions of each relationship that has an inverse. Every pair of objects in one
/// direction must also be a pair in the other direction.
///
/// For each direction, this type adds up hashes of the pairs. Equal sums mean equal pairs, except with a
/// probability of 1 in 2⁶⁴. A relationship of any size therefore needs only a few words of memory.
struct PairBalance {
    private struct Walks {
        var count = 0
        /// The sum of the hashes of (owner, member). `mirroredSum` is that of (member, owner).
        var sum: UInt64 = 0
        var mirroredSum: UInt64 = 0
    }

    private var walks: [Relationship: Walks] = [:]

    /// Adds one pair of a relationship.
    mutating func add(_ relationship: Relationship, from owner: ObjectID, to member: ObjectID) {
        guard relationship.inverse != nil else { return }
        walks[relationship, default: Walks()].count += 1
        walks[relationship, default: Walks()].sum &+= Self.hash(owner, member)
        walks[relationship, default: Walks()].mirroredSum &+= Self.hash(member, owner)
    }

    /// Returns the relationships whose two directions differ. For two inverse relationships, returns only one
    /// of them.
    func unbalanced(in model: ManagedObjectModel) -> [Relationship] {
        model.entities.flatMap(\.ownRelationships).filter { relationship in
            guard let inverse = relationship.inverse, relationship.ownsPairs else { return false }
            let there = walks[relationship] ?? Walks()
            let back = walks[inverse] ?? Walks()
            return there.count != back.count || there.sum != back.mirroredSum
        }
    }

    private static func hash(_ first: ObjectID, _ second: ObjectID) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(first)
        hasher.combine(second)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }
}

extension Entity {
    fileprivate var ownRelationships: [Relationship] {
        relationships.filter { $0.entity == self }
    }
}

/// A collector of the pairs of a few relationships, which finds the pairs that exist in only one direction.
struct PairCollector {
    private struct Pair: Hashable {
        let relationship: Relationship
        let owner: ObjectID
        let member: ObjectID
    }

    private var pairs = Set<Pair>()
    private let wanted: Set<Relationship>

    /// - Parameter relationships: The relationships to collect. Their inverses are collected, too.
    init(_ relationships: [Relationship]) {
        wanted = Set(relationships + relationships.compactMap(\.inverse))
    }

    /// Adds one pair, if its relationship is to be collected.
    mutating func add(_ relationship: Relationship, from owner: ObjectID, to member: ObjectID) {
        guard wanted.contains(relationship) else { return }
        pairs.insert(Pair(relationship: relationship, owner: owner, member: member))
    }

    /// Returns a problem for each pair that has no pair in the opposite direction, sorted by owner.
    func problems(in model: ManagedObjectModel) -> [StoreVerifier.Problem] {
        pairs.filter { pair in
            guard let inverse = pair.relationship.inverse else { return false }
            return !pairs.contains(
                Pair(relationship: inverse, owner: pair.member, member: pair.owner))
        }
        .sorted { ($0.owner.rootEntity, $0.owner.key) < ($1.owner.rootEntity, $1.owner.key) }
        .map { pair in
            StoreVerifier.Problem(
                object: pair.owner.shortName(in: model), property: pair.relationship.name,
                detail: "leads to \(pair.member.shortName(in: model)), whose"
                    + " \(pair.relationship.inverse?.name ?? "inverse") does not lead back")
        }
    }
}
