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
