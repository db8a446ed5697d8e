import CairnModel
import Foundation
import Testing

@Suite struct `A Swift type in an archive` {
    private func kept<T: ArchiveConvertible>(_ value: T) -> T? { T(archivable: value.archivable) }

    @Test func `keeps its value`() {
        #expect(kept("text") == "text")
        #expect(kept(Int8.min) == Int8.min)
        #expect(kept(UInt64.max) == UInt64.max)
        #expect(kept(1.5 as Float) == 1.5)
        #expect(kept(Decimal(7)) == 7)
        #expect(kept([["a": [1, 2]]]) == [["a": [1, 2]]])
        #expect(kept([1: Set(["a"])]) == [1: Set(["a"])])
        #expect(
            kept([Date(timeIntervalSinceReferenceDate: 1)]) == [
                Date(timeIntervalSinceReferenceDate: 1)
            ])
    }

    @Test func `refuses a value of another type or out of range`() {
        #expect(Int8(archivable: 128) == nil)
        #expect(UInt(archivable: -1) == nil)
        #expect(Int(archivable: 1.5) == nil)
        #expect(Int(archivable: true) == nil)
        #expect(Bool(archivable: 1) == nil)
        #expect(String(archivable: 1) == nil)
        #expect([String](archivable: ["a", 1]) == nil)
        #expect([String: Int](archivable: ["a": "b"]) == nil)
        #expect(Set<Double>(archivable: .set([1, 1.0])) == nil)
        #expect(Double(archivable: 1) == 1)
        #expect([Int](archivable: .orderedSet([2, 1])) == [2, 1])
    }
}
