import CairnModel
import CairnStore

/// The attributes of a model that are computed during saves. They are resolved once for each opened
/// store.
public struct DerivedAttributes: Sendable {
    let all: [DerivedAttribute]
    /// The indices in ``all`` of each entity's derived attributes, indexed by entity number minus
    /// 1.
    private let ofEntity: [[Int]]

    /// No derived attributes, for a store to which nothing is saved.
    package static let none = DerivedAttributes([], entityCount: 0)

    /// Whether no attributes have to be computed.
    package var isEmpty: Bool { all.isEmpty }

    /// Resolves the derived attributes of a model.
    ///
    /// - Parameters:
    ///   - model: the model that the store is opened with.
    ///   - location: names the store in errors.
    ///   - includes: returns whether to compute an attribute. Return `false` if something else
    ///     keeps it up to date.
    /// - Throws: `.unsupported` for a derived attribute that cannot be computed.
    package init(
        _ model: ManagedObjectModel, at location: StoreLocation,
        where includes: (Attribute) -> Bool = { _ in true }
    ) throws(StoreError) {
        var all: [DerivedAttribute] = []
        for entity in model.entities where entity.hasDerivedAttributes {
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

    /// Returns the indices in ``all`` of an entity's derived attributes.
    func indices(of entity: EntityNumber) -> [Int] {
        let index = Int(entity.rawValue) - 1
        return ofEntity.indices.contains(index) ? ofEntity[index] : []
    }
}

/// A derived attribute whose expression has been resolved.
package struct DerivedAttribute: Sendable {
    package let attribute: Attribute
    /// The index of the slot in which rows store the value.
    package let slot: Int
    let expression: BoundExpression
    /// Whether the value depends on the time at which the object itself is saved.
    let dependsOnNow: Bool
    /// The chains of relationships, starting at the object, on which the value depends.
    let walks: [[Relationship]]

    /// Resolves a derived attribute. Returns `nil` if the attribute is not derived, is not stored
    /// in rows, or has a derivation without an expression. Such an attribute keeps the value of its
    /// row.
    init?(_ attribute: Attribute, at location: StoreLocation) throws(StoreError) {
        guard let derivation = attribute.description.derivation, let slot = attribute.rowSlot,
            !derivation.expression.isEmpty
        else { return nil }
        let feature = "the derived attribute \(attribute.entity.name).\(attribute.name)"
        guard derivation.filter == nil else {
            throw .unsupported(
                location, feature: "\(feature) with a filter",
                advice: "Compute the attribute in your program instead.")
        }
        do {
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
                advice: "The expression has several values. Summarize them with @count, @sum, @min,"
                    + " @max or @avg.")
        }
        self.attribute = attribute
        self.slot = slot
        dependsOnNow = expression.callsNow
        walks = expression.paths.map(\.relationships).filter { !$0.isEmpty }
    }
}

extension BoundExpression {
    fileprivate var callsNow: Bool {
        switch self {
        case .constant, .path, .subqueryCount: false
        case .list(let items), .call(_, let items): items.contains(where: \.callsNow)
        case .function(let function, let items):
            function == .now || items.contains(where: \.callsNow)
        case .conditional(_, let then, let otherwise): then.callsNow || otherwise.callsNow
        }
    }
}
