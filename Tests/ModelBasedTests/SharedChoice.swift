import Cairn
import GraphSupport

/// Chooses the objects of an editor's edits among those that are stored and those that the editor inserted.
struct SharedChoice {
    let sequence: SharedSequence
    let model: SharedModel
    let content: StoredContent
    /// The entities that the editor's program uses.
    let entities: [Entity]
    /// The unsaved edits of the editor, from the context of the store to the newest child.
    var layers: [PendingEdits]
    /// The objects of the last edits of both editors. Half of the edits change one of them.
    let recent: [Int]

    /// Records an edit in one of the layers.
    mutating func note(_ edit: SharedEdit, _ layer: Int) {
        let former = self
        layers[layer].note(edit) { number in
            if case .insert(number, let name, _, _) = edit {
                return former.model.model.entity(named: name)
            }
            return former.entity(of: number)
        }
    }

    private func entity(of number: Int) -> Entity? {
        let name =
            content.objects[number]?.entity
            ?? layers.lazy.compactMap { $0.inserted[number]?.entity }.first
        return name.flatMap(model.model.entity(named:))
    }

    private func store(of number: Int) -> Int {
        content.objects[number]?.store
            ?? layers.lazy.compactMap { $0.inserted[number]?.store }.first ?? 0
    }

    /// Makes the choices of an edit. Returns `nil` if there is nothing to work on.
    ///
    /// - Parameter serial: A number that is unique to the edit.
    func choose(_ pick: SharedPick, _ layer: Int, _ serial: Int) -> SharedEdit? {
        let usable = Set(entities.map(\.name))
        let deleted = layers[...layer].reduce(into: Set<Int>()) { $0.formUnion($1.deleted) }
        let candidates = Set(content.objects.keys)
            .union(layers[...layer].flatMap(\.inserted.keys)).subtracting(deleted)
            .filter { entity(of: $0).map { usable.contains($0.name) } ?? false }.sorted()
        func one(_ pick: Int, of destination: Entity, in store: Int?) -> Int? {
            let found = candidates.filter {
                (entity(of: $0)?.isKind(of: destination) ?? false)
                    && (store == nil || self.store(of: $0) == store)
            }
            let met = pick % 2 == 0 ? found.filter(recent.contains) : []
            let choices = met.isEmpty ? found : met
            return choices.isEmpty ? nil : choices[pick / 2 % choices.count]
        }
        if pick.kind == .insert || candidates.isEmpty {
            guard candidates.count < sequence.objectLimit else { return nil }
            return insertion(pick, serial) { one($0, of: $1, in: nil) }
        }
        if pick.kind == .fetch { return .fetch(entity: entities[pick.first % entities.count].name) }
        let met = pick.third % 2 == 0 ? candidates.filter(recent.contains) : []
        let choices = met.isEmpty ? candidates : met
        let number = choices[pick.first % choices.count]
        guard let entity = entity(of: number) else { return nil }
        let relationships = entity.relationships.sorted { $0.name < $1.name }
        let relationship = relationships[pick.second % relationships.count]
        switch pick.kind {
        case .insert, .fetch: return nil
        case .set:
            return .set(number, attribute: model.attributes[pick.second % 2], Int64(serial))
        case .link:
            let store = sequence.engines.count > 1 ? store(of: number) : nil
            let other = one(pick.third, of: relationship.destination, in: store)
            return link(pick, number, relationship, other)
        case .delete: return .delete(number)
        case .move:
            return sequence.mayMove
                ? .move(number, store: pick.second % sequence.engines.count) : nil
        case .read: return .read(number)
        case .readMembers: return .readMembers(number, relationship: relationship.name)
        case .rotate:
            return relationship.isOrdered ? .rotate(number, relationship: relationship.name) : nil
        }
    }

    private func insertion(
        _ pick: SharedPick, _ serial: Int, _ find: (Int, Entity) -> Int?
    ) -> SharedEdit? {
        let entity = entities[pick.first % entities.count]
        var links: [String: Int] = [:]
        for relationship in entity.relationships where !relationship.isToMany {
            guard !relationship.isOptional || pick.third % 3 == 0 else { continue }
            let other = find(pick.second, relationship.destination)
            if !relationship.isOptional, other == nil { return nil }
            links[relationship.name] = other
        }
        var store: Int?
        if sequence.engines.count > 1 {
            let stores = Set(links.values.map { self.store(of: $0) })
            if stores.count > 1 { return nil }
            store = stores.first ?? pick.third % sequence.engines.count
        }
        return .insert(serial, entity: entity.name, store: store, links: links)
    }

    private func link(
        _ pick: SharedPick, _ number: Int, _ relationship: Relationship, _ other: Int?
    ) -> SharedEdit? {
        let name = relationship.name
        if !relationship.isToMany {
            if relationship.isOptional, pick.third % 4 == 0 {
                return .setOne(number, relationship: name, nil)
            }
            return other.map { .setOne(number, relationship: name, $0) }
        }
        guard let other else { return nil }
        if pick.third % 3 == 0, let member = content.objects[number]?.destinations(name).first,
            case .number(let member) = member
        {
            return .remove(number, relationship: name, member)
        }
        let isMember = content.objects[number]?.leads(to: other, by: name) ?? false
        return isMember
            ? .remove(number, relationship: name, other) : .add(number, relationship: name, other)
    }
}
