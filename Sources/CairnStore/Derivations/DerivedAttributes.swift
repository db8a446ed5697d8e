import CairnModel

/// The attributes of a model that a save computes: resolved once per opened store.
public struct DerivedAttributes: Sendable {
    let all: [DerivedAttribute]
    /// Which of ``all`` the rows of an entity have, by entity number, from 1 at index 0.
    private let ofEntity: [[Int]]

    /// What a store needs in which nothing is saved.
    public static let none = DerivedAttributes([], entityCount: 0)

    /// Whether a save computes no attributes.
    public var isEmpty: Bool { all.isEmpty }

    /// Resolves the derived attributes of a model.
    ///
    /// - Parameters:
    ///   - location: names the store in errors.
    ///   - includes: false for an attribute that something else keeps up to date.
    /// - Throws: `.unsupported` for a derived attribute that cannot be computed.
    public init(
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

    /// Which of ``all`` rows of the entity have.
    func indices(of entity: EntityNumber) -> [Int] {
        let index = Int(entity.rawValue) - 1
        return ofEntity.indices.contains(index) ? ofEntity[index] : []
    }
}
