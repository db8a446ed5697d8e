import CairnModel

/// A derived attribute with its expression resolved.
package struct DerivedAttribute: Sendable {
    package let attribute: Attribute
    /// Where rows keep the value.
    package let slot: Int
    let expression: BoundExpression
    /// Whether the value is that of the moment in which the object itself is saved.
    let isOfItsMoment: Bool
    /// The walks over relationships on which the value depends, from the object on.
    let walks: [[Relationship]]

    /// nil for an attribute that is not derived, that no row holds, or whose derivation is of no
    /// known form: it keeps the value that its row brings.
    ///
    /// - Throws: `.unsupported`.
    init?(_ attribute: Attribute, at location: StoreLocation) throws(StoreError) {
        guard let derivation = attribute.description.derivation, let slot = attribute.rowSlot,
            !derivation.expression.isEmpty
        else { return nil }
        let feature = "the derived attribute \(attribute.entity.name).\(attribute.name)"
        guard derivation.filter == nil else {
            throw .unsupported(
                location, feature: "\(feature) with a filter",
                advice: "Compute the attribute in the application instead.")
        }
        do throws(FetchPredicateError) {
            expression = try FetchExpression(format: derivation.expression)
                .bound(to: attribute.entity)
        } catch {
            throw .unsupported(
                location, feature: "\(feature), “\(derivation.expression)”",
                advice: "Correct the expression: \(error)")
        }
        guard !expression.isCollection else {
            throw .unsupported(
                location, feature: "\(feature), “\(derivation.expression)”",
                advice: "It gives several values; use @count, @sum, @min, @max or @avg.")
        }
        self.attribute = attribute
        self.slot = slot
        isOfItsMoment = expression.callsNow
        walks = expression.paths.map(\.relationships).filter { !$0.isEmpty }
    }
}

/// The attributes of a model that a save computes: resolved once per opened store.
package struct DerivedAttributes: Sendable {
    let all: [DerivedAttribute]
    /// Which of ``all`` the rows of an entity have, by entity number, from 1 at index 0.
    private let ofEntity: [[Int]]

    /// What a store needs in which nothing is saved.
    package static let none = DerivedAttributes([], entityCount: 0)

    package var isEmpty: Bool { all.isEmpty }

    /// - Parameters:
    ///   - location: names the store in errors.
    ///   - includes: false for an attribute that something else keeps up to date.
    /// - Throws: `.unsupported` for a derived attribute that cannot be computed.
    package init(
        _ model: ManagedObjectModel, at location: StoreLocation,
        where includes: (Attribute) -> Bool = { _ in true }
    ) throws(StoreError) {
        var all: [DerivedAttribute] = []
        for entity in model.entities {
            for case .attribute(let attribute) in entity.ownProperties where includes(attribute) {
                if let derived = try DerivedAttribute(attribute, at: location) {
                    all.append(derived)
                }
            }
        }
        self.init(all, entityCount: model.entities.count)
    }

    private init(_ all: [DerivedAttribute], entityCount: Int) {
        var ofEntity: [[Int]] = Array(repeating: [], count: entityCount)
        for (index, derived) in all.enumerated() {
            for entity in derived.attribute.entity.hierarchy {
                ofEntity[Int(entity.number.rawValue) - 1].append(index)
            }
        }
        self.all = all
        self.ofEntity = ofEntity
    }

    /// Which of ``all`` rows of the entity have.
    func indices(of entity: EntityNumber) -> [Int] {
        let index = Int(entity.rawValue) - 1
        return ofEntity.indices.contains(index) ? ofEntity[index] : []
    }
}

extension BoundExpression {
    fileprivate var callsNow: Bool {
        switch self {
        case .constant, .path, .subqueryCount: false
        case .list(let items): items.contains(where: \.callsNow)
        case .function(let function, let items):
            function == .now || items.contains(where: \.callsNow)
        case .conditional(_, let then, let otherwise): then.callsNow || otherwise.callsNow
        }
    }
}
