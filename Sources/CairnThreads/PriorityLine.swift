import DequeModule

/// A queue of elements with priorities. Elements of the same priority are served in the order in
/// which they were added.
///
/// Elements with a low priority are served late, but they are served: one of every ``fairShare``
/// elements is the one that has waited longest, regardless of its priority.
package struct PriorityLine<Element> {
    /// The number of elements among which one is served because it has waited longest.
    package static var fairShare: Int { 8 }

    private struct Level {
        let priority: Int
        var elements: Deque<(ticket: UInt64, element: Element)> = []
    }

    /// The levels, from the highest priority to the lowest. Empty levels are kept, because there
    /// are only a few.
    private var levels: [Level] = []
    private var nextTicket: UInt64 = 0
    private var served = 0

    package init() {}

    /// The number of waiting elements.
    package private(set) var count = 0
    package var isEmpty: Bool { count == 0 }

    /// Adds an element after all elements of the same priority.
    package mutating func append(_ element: Element, priority: Int) {
        let index = levels.firstIndex { $0.priority <= priority } ?? levels.endIndex
        if index == levels.endIndex || levels[index].priority != priority {
            levels.insert(Level(priority: priority), at: index)
        }
        levels[index].elements.append((nextTicket, element))
        nextTicket += 1
        count += 1
    }

    /// Removes and returns the next element, or returns `nil` if no element is waiting.
    package mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        served += 1
        let index = served.isMultiple(of: Self.fairShare) ? oldestLevel : firstLevel
        guard let index else { return nil }
        count -= 1
        return levels[index].elements.removeFirst().element
    }

    private var firstLevel: Int? { levels.firstIndex { !$0.elements.isEmpty } }

    private var oldestLevel: Int? {
        var oldest: (level: Int, ticket: UInt64)?
        for index in levels.indices {
            guard let ticket = levels[index].elements.first?.ticket else { continue }
            if oldest.map({ ticket < $0.ticket }) ?? true { oldest = (index, ticket) }
        }
        return oldest?.level
    }
}
