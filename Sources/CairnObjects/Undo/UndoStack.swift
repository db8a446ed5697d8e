/// A stack of closed groups, the last one on top.
struct UndoStack {
    private var groups: [UndoGroup] = []
    private var changeCount = 0

    var isEmpty: Bool { groups.isEmpty }
    var count: Int { groups.count }
    var last: UndoGroup? { groups.last }

    /// The limits of a stack. 0 means no limit.
    struct Limits {
        let groups: Int
        let changes: Int
    }

    /// Pushes a group unless it is empty, and drops the oldest groups beyond the limits.
    mutating func push(_ group: UndoGroup, within limits: Limits) {
        guard !group.isEmpty else { return }
        groups.append(group)
        changeCount += group.changeCount
        trim(to: limits)
    }

    mutating func pop() -> UndoGroup? {
        guard let group = groups.popLast() else { return nil }
        changeCount -= group.changeCount
        return group
    }

    /// Drops the oldest groups beyond the limits. The last group is kept, whatever its size.
    mutating func trim(to limits: Limits) {
        var dropped = limits.groups > 0 ? max(groups.count - limits.groups, 0) : 0
        changeCount -= groups.prefix(dropped).reduce(0) { $0 + $1.changeCount }
        while limits.changes > 0, changeCount > limits.changes, dropped < groups.count - 1 {
            changeCount -= groups[dropped].changeCount
            dropped += 1
        }
        groups.removeFirst(dropped)
    }

    mutating func removeAll() {
        groups.removeAll()
        changeCount = 0
    }

    mutating func removeActions(of target: AnyObject) {
        for group in groups { group.removeActions(of: target) }
        groups.removeAll(where: \.isEmpty)
        changeCount = groups.reduce(0) { $0 + $1.changeCount }
    }
}
