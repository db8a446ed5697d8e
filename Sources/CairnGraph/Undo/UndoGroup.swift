/// One registered action.
struct UndoAction {
    /// Compared only: the target may have gone.
    let target: ObjectIdentifier
    let run: () -> Void
}

/// Actions that are undone as one, in the order in which they were registered.
final class UndoGroup {
    enum Entry {
        case action(UndoAction)
        case group(UndoGroup)
    }

    private var entries: [Entry] = []
    var actionName: String
    var isDiscardable: Bool

    init(actionName: String = "", isDiscardable: Bool = false) {
        self.actionName = actionName
        self.isDiscardable = isDiscardable
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Adds an entry; a group without any is left out.
    func append(_ entry: Entry) {
        if case .group(let group) = entry {
            if group.isEmpty { return }
            if actionName.isEmpty { actionName = group.actionName }
        }
        entries.append(entry)
    }

    /// Takes the last entry out where it is a group.
    func popLastGroup() -> UndoGroup? {
        guard case .group(let group)? = entries.last else { return nil }
        entries.removeLast()
        return group
    }

    /// Runs all actions, the last one first.
    func run() {
        for entry in entries.reversed() {
            switch entry {
            case .action(let action): action.run()
            case .group(let group): group.run()
            }
        }
    }

    func removeAll() { entries = [] }

    func removeActions(of target: AnyObject) {
        entries.removeAll { entry in
            switch entry {
            case .action(let action): return action.target == ObjectIdentifier(target)
            case .group(let group):
                group.removeActions(of: target)
                return group.isEmpty
            }
        }
    }
}

/// Closed groups, the last one on top.
struct UndoStack {
    private var groups: [UndoGroup] = []

    var isEmpty: Bool { groups.isEmpty }
    var count: Int { groups.count }
    var last: UndoGroup? { groups.last }

    /// Adds a group, unless it is empty, and drops the oldest ones beyond the limit; 0: none.
    mutating func push(_ group: UndoGroup, atMost limit: Int) {
        guard !group.isEmpty else { return }
        groups.append(group)
        keepLast(limit)
    }

    mutating func pop() -> UndoGroup? { groups.popLast() }

    /// Drops the oldest groups beyond the limit; 0: none.
    mutating func keepLast(_ limit: Int) {
        if limit > 0, groups.count > limit { groups.removeFirst(groups.count - limit) }
    }

    mutating func removeAll() { groups = [] }

    mutating func removeActions(of target: AnyObject) {
        for group in groups { group.removeActions(of: target) }
        groups.removeAll(where: \.isEmpty)
    }
}
