import CairnModel

/// Finds the sources in the old store for all relationships of the new model whose pairs have to be
/// saved.
struct PairSources {
    private let correspondence: ModelCorrespondence
    private let joinedEnds: [ModelCorrespondence.JoinedEnds]

    init(_ correspondence: ModelCorrespondence) {
        self.correspondence = correspondence
        joinedEnds = correspondence.joinedEnds()
    }

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
        let near = correspondence.storedOldRelationships(of: relationship)
        guard let inverse = relationship.inverse else {
            return near.map { source(of: relationship, reading: $0, isReversed: false) }
        }
        guard !near.isEmpty else {
            return correspondence.storedOldRelationships(of: inverse).map {
                source(of: relationship, reading: $0, isReversed: true)
            }
        }
        return near.flatMap { read -> [PairSource] in
            let pairs = source(of: relationship, reading: read, isReversed: false)
            guard case .later = pairs.inverseOrder,
                let far = orderedEnd(of: relationship.inverse, besides: read)
            else { return [pairs] }
            return [
                pairs,
                PairSource(
                    told: relationship, reading: far, isReversed: true, order: .none,
                    inverseOrder: .kept, isReordering: true),
            ]
        }
    }

    private func source(
        of told: Relationship, reading read: Relationship, isReversed: Bool
    ) -> PairSource {
        let inverse = told.isManyToMany ? told.inverse : nil
        let orderRead = read.isToMany && read.isOrdered ? PairSource.Order.kept : .byKey
        let ordered = orderedEnd(of: inverse, besides: read)
        let orderOfFarSide = ordered == nil ? PairSource.Order.byKey : .later
        return PairSource(
            told: told, reading: read, isReversed: isReversed,
            order: !told.isOrdered ? .none : isReversed ? .byKey : orderRead,
            inverseOrder: !(inverse?.isOrdered ?? false)
                ? .none : isReversed ? orderRead : orderOfFarSide)
    }

    /// Returns the relationship of the old model that contains the order of a relationship of the new
    /// model, on the inverse side of the relationship that is read. Returns `nil` if none does.
    private func orderedEnd(
        of relationship: Relationship?, besides read: Relationship
    ) -> Relationship? {
        guard let relationship else { return nil }
        let ends = correspondence.storedOldRelationships(of: relationship)
            .filter { $0.isToMany && $0.isOrdered && $0 != read }
        return ends.first { end in
            end == read.inverse
                || joinedEnds.contains {
                    ($0.near, $0.far) == (read, end) || ($0.near, $0.far) == (end, read)
                }
        }
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
    /// The objects whose pairs are read: those of this entity of the old model.
    let near: Entity
    /// Whether objects of subentities of ``near`` are read as well.
    let includesSubentities: Bool
    /// The relationships of the old model that lead from ``near`` to the other objects.
    let path: [Relationship]
    /// The indices of the tables with the successors of the objects on either side.
    let successors: (near: Int, far: Int)
    /// Whether ``path`` corresponds to the inverse of ``told``, so that the objects that are read
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

    /// Creates the source of a relationship that continues one of the old model, or whose inverse does.
    init(
        told: Relationship, reading read: Relationship, isReversed: Bool, order: Order,
        inverseOrder: Order, isReordering: Bool = false
    ) {
        self.init(
            told: told, near: read.entity, path: [read], isReversed: isReversed, order: order,
            inverseOrder: inverseOrder, isReordering: isReordering)
    }

    /// Creates a source of pairs that a path of relationships leads to.
    init(
        told: Relationship, near: Entity, includesSubentities: Bool = true, path: [Relationship],
        successors: (near: Int, far: Int) = (0, 0), isReversed: Bool, order: Order,
        inverseOrder: Order, isReordering: Bool = false
    ) {
        self.told = told
        self.near = near
        self.includesSubentities = includesSubentities
        self.path = path
        self.successors = successors
        self.isReversed = isReversed
        self.order = order
        self.inverseOrder = inverseOrder
        self.isReordering = isReordering
        owners = told.entity.hierarchyNumbers
        members = told.destination.hierarchyNumbers
    }
}
