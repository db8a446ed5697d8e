import CairnModel
import CairnStore

/// One step of a change, with what was before.
enum Mutation {
    /// A row slot; nil: the row's value showed.
    case slot(ManagedObject, Int, Value?)
    /// A slot that only objects have.
    case extra(ManagedObject, Int, ExtraValue)
    /// What is to become of an object.
    case state(ManagedObject, ObjectState)
}

/// What was changed since a moment, so that it can be taken back.
///
/// A save keeps one while it propagates deletions and runs hooks: what it did is undone where it
/// fails.
final class MutationJournal {
    private var mutations: [Mutation] = []

    func append(_ mutation: Mutation) {
        mutations.append(mutation)
    }

    /// Takes back everything, the last first.
    func undo() {
        for mutation in mutations.reversed() {
            switch mutation {
            case .slot(let object, let slot, let value):
                object.restore(value, at: slot)
            case .extra(let object, let slot, let value):
                object.overlay?.restore(value, atExtra: slot)
            case .state(let object, let state):
                object.state = state.union(object.state.intersection(.tracked))
            }
        }
        mutations = []
    }
}

extension ManagedObject {
    fileprivate final func restore(_ value: Value?, at slot: Int) {
        guard let overlay else { return }
        overlay.set(value, at: slot, slotCount: kind.layout.slots.count)
        readsRow = row != nil && overlay.dirty.isEmpty
    }
}
