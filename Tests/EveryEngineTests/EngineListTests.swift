import Cairn
import GraphSupport
import Testing

/// The lists that choose the engines of all other tests: an empty list would run none of them.
@Suite struct `The lists of engines` {
    @Test func `have each built-in engine where it belongs`() {
        #expect(everyEngine == [.binary, .inMemory, .lmdb, .sqlite, .xml])
        #expect(everyFileEngine == [.binary, .lmdb, .sqlite, .xml])
        #expect(everyWholeFileEngine == [.binary, .xml])
        #expect(everyRowWritingEngine == [.lmdb, .sqlite])
    }
}
