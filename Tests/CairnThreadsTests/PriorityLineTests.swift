import CairnThreads
import Testing

@Suite struct `A line with priorities` {
    @Test func `serves elements of one priority in order of arrival`() {
        var line = PriorityLine<Int>()
        for number in 0..<100 { line.append(number, priority: 21) }

        #expect(served(&line) == Array(0..<100))
        #expect(line.isEmpty)
    }

    @Test func `serves a high priority first`() {
        var line = PriorityLine<String>()
        line.append("background", priority: 9)
        line.append("medium", priority: 21)
        line.append("high", priority: 25)
        line.append("high too", priority: 25)

        #expect(served(&line) == ["high", "high too", "medium", "background"])
    }

    /// An element with a low priority is served even if elements with a higher priority keep arriving.
    @Test func `serves a low priority after a fair share of a higher one`() {
        var line = PriorityLine<Int>()
        line.append(-1, priority: 9)
        var position: Int?
        for number in 0..<100 where position == nil {
            line.append(number, priority: 25)
            line.append(number, priority: 25)
            if line.popFirst() == -1 { position = number }
        }

        #expect(position == PriorityLine<Int>.fairShare - 1)
    }

    private func served<Element>(_ line: inout PriorityLine<Element>) -> [Element] {
        var all: [Element] = []
        while let next = line.popFirst() { all.append(next) }
        return all
    }
}
