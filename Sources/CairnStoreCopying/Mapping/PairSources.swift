import CairnModel

/// Finds the sources in the old store for all relationships of the new model whose pairs have to be
/// saved.
struct PairSources {
    private let correspondence: ModelCorrespondence

    init(_ correspondence: ModelCorrespondence) { self.correspondence = correspondence }

    /// Returns the sources of all pairs and orders of an entity's own relationships, in the order
    /// in which they have to be read.
    func sources(ofRelationshipsOf entity: Entity) -> [PairSource] {
        entity.ownProperties.flatMap { property -> [PairSource] in
            guard case .relationship(let relationship) = property, relationship.isToMany,
                !relationship.isTransient,
                relationship.isManyToMany ? relationship.ownsPairs : relationship.isOrdered
            else { return [] }
            return sources(of: relationship)
        }
    }

    private func sources(of relationship: Relationship) -> [PairSource] {
        let near = continued(relationship)
        guard let inverse = relationship.inverse else {
            return near.map { source(of: relationship, reading: $0, isReversed: false) }
        }
        guard !near.isEmpty else {
            return continued(inverse).map {
                source(of: relationship, reading: $0, isReversed: true)
            }
        }
        return near.flatMap { read -> [PairSource] in
            let pairs = source(of: relationship, reading: read, isReversed: false)
            guard case .later = pairs.inverseOrder, let far = read.inverse else { return [pairs] }
            return [
                pairs,
                PairSource(
                    told: relationship, reading: far, isReversed: true, order: .none,
                    inverseOrder: .kept, isReordering: true),
            ]
        }
    }

    /// Returns the relationships of the old model that a relationship of the new model continues.
    /// There are several if the relationship was pulled up from several entities.
    private func continued(_ relationship: Relationship) -> [Relationship] {
        var found: [Relationship] = []
        for entity in relationship.entity.hierarchy {
            let before = correspondence.oldProperty(named: relationship.name, of: entity)
            guard case .relationship(let old)? = before, !old.isTransient, !found.contains(old)
            else { continue }
            found.append(old)
        }
        return found
    }

    private func source(
        of told: Relationship, reading read: Relationship, isReversed: Bool
    ) -> PairSource {
        let inverse = told.isManyToMany ? told.inverse : nil
        let orderRead = read.isToMany && read.isOrdered ? PairSource.Order.kept : .byKey
        let orderOfFarSide = hasOrder(of: inverse, besides: read) ? PairSource.Order.later : .byKey
        return PairSource(
            told: told, reading: read, isReversed: isReversed,
            order: !told.isOrdered ? .none : isReversed ? .byKey : orderRead,
            inverseOrder: !(inverse?.isOrdered ?? false)
                ? .none : isReversed ? orderRead : orderOfFarSide)
    }

    /// Returns whether the old store contains the order of a relationship of the new model on the
    /// inverse side of the relationship that is read.
    private func hasOrder(of relationship: Relationship?, besides read: Relationship) -> Bool {
        guard let relationship, let far = read.inverse, far.isToMany, far.isOrdered, far != read
        else { return false }
        return continued(relationship).contains(far)
    }
}

/// The source, in a store of the old model, of the pairs of one relationship of the new model.
struct PairSource {
    /// How the position of a member is determined.
    enum Order {
        /// The relationship is not ordered.
        case none
        /// The old store contains the order, on the side that is read.
        case kept
        /// The old store contains no order, so members are ordered by key.
        case byKey
        /// Another source provides the position.
        case later
    }

    /// The relationship of the new model to which the pairs belong.
    let told: Relationship
    /// The relationship of the old model that is read.
    let read: Relationship
    /// Whether ``read`` corresponds to the inverse of ``told``, so that the objects that are read
    /// are the members.
    let isReversed: Bool
    /// How the order of the members of ``told`` is determined.
    let order: Order
    /// How the order of the members of the inverse is determined.
    let inverseOrder: Order
    /// Whether the pairs exist already and only get positions.
    let isReordering: Bool
    /// The entities of the owners and of the members in the new model. Stored, so that they are not
    /// looked up for each pair.
    let owners: Range<EntityNumber>
    let members: Range<EntityNumber>

    init(
        told: Relationship, reading read: Relationship, isReversed: Bool, order: Order,
        inverseOrder: Order, isReordering: Bool = false
    ) {
        self.told = told
        self.read = read
        self.isReversed = isReversed
        self.order = order
        self.inverseOrder = inverseOrder
        self.isReordering = isReordering
        owners = told.entity.hierarchyNumbers
        members = told.destination.hierarchyNumbers
    }
}
