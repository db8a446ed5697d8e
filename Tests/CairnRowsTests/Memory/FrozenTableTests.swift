import CairnRows
import Testing

@Suite struct `A frozen table` {
    @Test func `has the elements in their order`() {
        let table = FrozenTable([3, 1, 2])

        #expect(Array(table.elements) == [3, 1, 2])
        #expect(table.elements.count == 3 && table.elements[1] == 1)
        #expect(table.elements.bytes.count == 3 * MemoryLayout<Int>.size)
    }

    @Test func `may be empty or show an empty slice of its elements`() {
        #expect(Array(FrozenTable<Int>([]).elements) == [])
        #expect(Array(FrozenTable([1]).elements.none) == [])
    }

    @Test func `frees its elements`() {
        final class Element: Sendable {}
        weak var element: Element?

        do {
            let made = Element()
            element = made
            let table = FrozenTable([made])
            #expect(table.elements[0] === made)
        }

        #expect(element == nil)
    }

    #if DEBUG
    @Test func `stops a debug build that reads beyond its end`() async {
        await #expect(processExitsWith: .failure) {
            let table = FrozenTable([1])
            _ = table.elements[1]
        }
    }
    #endif
}
