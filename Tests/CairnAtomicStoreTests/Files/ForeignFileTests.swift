import CairnStore
import Foundation
import StoreFileSupport
import Testing

@Suite struct `A file that replaced a whole-file store` {
    @Test(arguments: CounterStore.typeNames)
    func `of another kind is refused, and its kind is named`(_ type: String) throws {
        let counters = try CounterStore(type)
        let kinds = [
            "": "an empty file", "SQLite format 3\0 and so on": "a file of another kind",
            "bplist00": "a binary property list", "hello": "a file of another kind",
        ]

        for (text, kind) in kinds {
            try Data(text.utf8).write(to: counters.file)
            let error = #expect(throws: StoreError.self) {
                try counters.open()
            }
            guard case .notAStore(_, _, let found)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(found == kind)
            let isRecognized = counters.engine.recognizes(.file(counters.file))
            #expect(!isRecognized)
        }
    }
}
