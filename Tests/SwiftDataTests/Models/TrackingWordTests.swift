#if os(Linux)
import CairnCLinux
import CairnTestSupport
import Foundation
import Observation
import Synchronization
import Testing

@testable import SwiftData

@Suite struct `The tracking word` {
    private var isSet: Bool { cairn_thread_word_is_set(Int(TrackingWord.offset)) }

    @Test func `is found with this version of Observation`() {
        #expect(TrackingWord.offset != 0)
    }

    @Test func `is set only while the thread tracks`() {
        let before = isSet
        withObservationTracking {
            #expect(isSet)
            withObservationTracking {
                #expect(isSet)
            } onChange: {
            }
            #expect(isSet)
        } onChange: {
        }
        let after = isSet

        #expect(!before && !after)
    }

    @Test func `is that of the running thread`() {
        let found = Mutex<(before: Bool, inside: Bool)?>(nil)
        let end = DispatchSemaphore(value: 0)

        withObservationTracking {
            Thread {
                let before = isSet
                let inside = withObservationTracking {
                    isSet
                } onChange: {
                }
                found.withLock { $0 = (before, inside) }
                end.signal()
            }
            .start()
            end.wait()
        } onChange: {
        }

        let result = found.withLock(\.self)
        #expect(result?.before == false && result?.inside == true)
    }
}
#endif
