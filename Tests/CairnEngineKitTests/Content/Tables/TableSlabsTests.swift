import Testing

@testable import CairnEngineKit

@Suite struct `Grouped list` {
    /// The number of elements that were copied, in the list of groups and in the groups.
    private func copiedCount(_ before: GroupedList<Int>, _ after: GroupedList<Int>) -> Int {
        func start(_ group: ContiguousArray<Int>) -> UnsafePointer<Int>? {
            group.withUnsafeBufferPointer(\.baseAddress)
        }
        let shared = Set(before.groups.map(start))
        let copied = after.groups.filter { !shared.contains(start($0)) }
        return after.groups.count + copied.reduce(0) { $0 + $1.count }
    }

    /// In the table of a store in memory, this is what one save costs when there are a million rows and more.
    @Test func `copies few elements when a copy changes`() {
        var list = GroupedList<Int>()
        for number in 0..<4_000 { list.append(number) }

        var copy = list
        copy[3_000] = -1
        copy.append(4_000)
        let other = (0..<4_000).reduce(into: GroupedList<Int>()) { $0.append($1) }

        #expect(copiedCount(list, copy) <= 3 * 64)
        #expect(copiedCount(list, other) > 4_000, "a list that shares nothing was copied")
        #expect(list.count == 4_000)
        #expect((0..<4_000).allSatisfy { list[$0] == $0 })
        #expect(copy.count == 4_001)
        #expect((0...4_000).allSatisfy { copy[$0] == ($0 == 3_000 ? -1 : $0) })
    }
}
