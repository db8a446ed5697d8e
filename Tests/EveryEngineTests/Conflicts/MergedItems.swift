import Cairn
import CairnTestSupport
import GraphSupport

/// The values of an item.
struct ItemState: Sendable, Equatable {
    var a: Int
    var b: Int
    var box: String?
}

/// Items as several writers see them: a simple model that predicts the result of each merge policy.
///
/// The model has no rows, slots or journals. It contains values by name and the number of saves of each item,
/// and the ordered items of each box with the number of their saves.
struct MergedItems: Sendable {
    /// The stored items. A deleted item is absent.
    private(set) var stored: [String: ItemState] = [:]
    /// The stored items of each box, in order.
    private(set) var boxes = Boxes()
    private var versions: [String: Int] = [:]
    private var boxVersions: [String: Int] = [:]

    /// Creates the model.
    ///
    /// - Parameter items: Items that were put into their boxes in the order of their names.
    init(_ items: [String: ItemState]) {
        stored = items
        for (name, state) in items.sorted(by: { $0.key < $1.key }) {
            versions[name] = 1
            boxes.move(name, from: nil, to: state.box)
        }
    }

    /// The names of the items in each box.
    struct Boxes: Sendable {
        private var names: [String: [String]] = [:]

        subscript(box: String) -> [String] { names[box] ?? [] }

        /// Moves an item from one box to the end of another box.
        mutating func move(_ name: String, from former: String?, to box: String?) {
            guard former != box else { return }
            if let former { names[former]?.removeAll { $0 == name } }
            if let box { names[box, default: []].append(name) }
        }
    }

    /// The changes of one writer to the items that it read.
    struct Edits: Sendable {
        let base: [String: ItemState]
        let versions: [String: Int]
        let boxVersions: [String: Int]
        var states: [String: ItemState]
        private(set) var boxes: Boxes
        /// The items that left each box. Some of them may have returned to the end of the box.
        private var left: [String: Set<String>] = [:]

        init(_ items: MergedItems) {
            base = items.stored
            versions = items.versions
            boxVersions = items.boxVersions
            states = items.stored
            boxes = items.boxes
        }

        /// The names of the items that the writer changed or deleted.
        var changed: [String] { base.keys.filter { base[$0] != states[$0] }.sorted() }

        /// Returns the boxes in which the writer removed or added items, unless others have saved the same
        /// changes.
        ///
        /// - Parameter stored: The current items of the boxes.
        func changedBoxes(in stored: Boxes) -> Set<String> {
            let known = (base.values.map(\.box) + states.values.map(\.box)).compactMap { $0 }
            return Set(known).filter { box in
                let (left, members) = (left[box] ?? [], Set(stored[box]))
                let came = boxes[box].filter { base[$0]?.box != box || left.contains($0) }
                return !left.isDisjoint(with: members)
                    || came.contains { !members.contains($0) || left.contains($0) }
            }
        }

        private mutating func move(_ name: String, to box: String?) {
            guard let state = states[name], state.box != box else { return }
            if let former = state.box, former == base[name]?.box {
                left[former, default: []].insert(name)
            }
            boxes.move(name, from: state.box, to: box)
            states[name]?.box = box
        }
    }

    /// Saves edits that do not conflict with others.
    mutating func save(_ edits: Edits) {
        for name in edits.changed { store(edits.states[name], as: name) }
        for box in edits.changedBoxes(in: boxes) { boxVersions[box, default: 0] += 1 }
        boxes = edits.boxes
    }

    /// Returns the items of the edits that others have saved since they were read.
    func conflicts(with edits: Edits) -> [String] {
        edits.changed.filter { versions[$0] != edits.versions[$0] || stored[$0] == nil }
    }

    /// Returns the boxes whose items, or the order of whose items, were changed both by the edits and by
    /// others. Two writers can therefore be in conflict over a box although they changed different items.
    func boxConflicts(with edits: Edits) -> [String] {
        edits.changedBoxes(in: boxes)
            .filter { boxVersions[$0] != edits.boxVersions[$0] }.sorted()
    }

    /// Saves edits as the policy prescribes. Edits that cannot be saved are ignored. The model does not
    /// predict the order of the items in their boxes, which the policies do not guarantee.
    mutating func save(_ edits: Edits, under policy: MergePolicyType) {
        let conflicts = Set(conflicts(with: edits))
        if conflicts.isEmpty, boxConflicts(with: edits).isEmpty { return save(edits) }
        if policy == .error { return }
        for name in edits.changed {
            guard conflicts.contains(name) else {
                store(edits.states[name], as: name)
                continue
            }
            store(
                Self.merged(
                    base: edits.base[name], mine: edits.states[name], theirs: stored[name], policy),
                as: name)
        }
    }

    private mutating func store(_ state: ItemState?, as name: String) {
        guard stored[name] != state else { return }
        stored[name] = state
        versions[name, default: 0] += 1
    }

    private static func merged(
        base: ItemState?, mine: ItemState?, theirs: ItemState?, _ policy: MergePolicyType
    ) -> ItemState? {
        guard policy != .rollback else { return theirs }
        guard policy != .overwrite else { return mine }
        guard let base, let mine, let theirs else {
            return policy == .mergeByPropertyObjectTrump ? mine : theirs
        }
        func pick<T: Equatable>(_ path: KeyPath<ItemState, T>) -> T {
            let (was, here) = (base[keyPath: path], mine[keyPath: path])
            let there = theirs[keyPath: path]
            if here == was { return there }
            if there == was { return here }
            return policy == .mergeByPropertyObjectTrump ? here : there
        }
        return ItemState(a: pick(\.a), b: pick(\.b), box: pick(\.box))
    }
}

extension MergedItems.Edits {
    /// Changes or deletes some of the items, both here and in the context.
    mutating func change(
        _ context: ManagedObjectContext, using random: inout SeededRandom
    ) throws {
        for name in base.keys.sorted() where random.next() % 4 != 0 {
            let item = try context.item(name)
            if random.next() % 6 == 0 {
                move(name, to: nil)
                states[name] = nil
                if let item { try context.delete(item) }
                continue
            }
            for _ in 0...(random.next() % 2) {
                try change(name, item, in: context, using: &random)
            }
        }
    }

    private mutating func change(
        _ name: String, _ item: ManagedObject?, in context: ManagedObjectContext,
        using random: inout SeededRandom
    ) throws {
        let value = Int(random.next() % 3)
        switch random.next() % 3 {
        case 0:
            states[name]?.a = value
            try item?.setValue(value, forKey: "a")
        case 1:
            states[name]?.b = value
            try item?.setValue(value, forKey: "b")
        default:
            let box = value == 2 ? nil : "box \(value)"
            move(name, to: box)
            let object = try box.map { try context.only("Box", where: "name == '\($0)'") }
            try item?.setValue(object, forKey: "box")
        }
    }
}
