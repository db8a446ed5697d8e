import CairnModel
import Testing

@testable import CairnStack

@Suite struct `Spare keys` {
    private let root = EntityNumber(1)

    @Test func `are at most as many as were used, and are rarely taken`() {
        let spare = SpareKeys()
        var next: Int64 = 1
        var takingCount = 0
        for used in 1...10_000 {
            if spare.take([root: 1]) != nil { continue }
            let wanted = spare.wanted(besides: [root: 1], othersWait: false)[root] ?? 0
            #expect(wanted < used)
            #expect(wanted <= 1_000)
            spare.add([root: next + 1..<next + 1 + Int64(wanted)])
            next += 1 + Int64(wanted)
            takingCount += 1
        }
        #expect(takingCount < 30)
    }

    @Test func `are not taken for entities of which a save needs none`() {
        let spare = SpareKeys()
        for _ in 0..<3 { #expect(spare.take([root: 5]) == nil) }

        #expect(spare.wanted(besides: [EntityNumber(2): 1], othersWait: false) == [:])
        #expect(spare.wanted(besides: [:], othersWait: false) == [:])
        #expect(spare.wanted(besides: [:], othersWait: true) == [root: 1_000])
    }

    @Test func `are taken in order, wholly or not at all`() {
        let spare = SpareKeys()
        spare.add([root: 10..<13])

        #expect(spare.take([root: 2]) == [root: 10..<12])
        #expect(spare.take([root: 2]) == nil)
        #expect(spare.take([root: 1]) == [root: 12..<13])
        #expect(spare.take([root: 1]) == nil)
    }
}
