// SPDX-License-Identifier: MIT
// What the module helioray_nccl calls of NCCL, between processes of one machine and on the memory
// of the host: stands for NCCL's header of this name where the module is compiled for tests.
//
// HELIORAY_EMULATED_NCCL chooses what goes wrong: hang_id, hang_start, hang_in_start (the call
// itself), fail_start, hang_call, fail_call, fail_later, hang_end, hang_abort. Operations are
// written, one line each, to the file HELIORAY_EMULATED_NCCL_LOG.
#pragma once

#include "tests/emulated_cuda/cuda_runtime.h"

#include <cstddef>

struct EmulatedCommunicator;
using ncclComm_t = EmulatedCommunicator*;
struct ncclUniqueId {
    char internal[128];
};
struct ncclConfig_t {
    int blocking;
};
#define NCCL_CONFIG_INITIALIZER \
    { 1 }

enum ncclResult_t {
    ncclSuccess = 0,
    ncclSystemError = 2,
    ncclRemoteError = 6,
    ncclInProgress = 7,
};
enum ncclDataType_t { ncclUint8, ncclInt32, ncclInt64, ncclFloat32, ncclFloat64 };
enum ncclRedOp_t { ncclSum, ncclMax, ncclMin };

ncclResult_t ncclGetUniqueId(ncclUniqueId* id);
ncclResult_t ncclCommInitRankConfig(
    ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank, ncclConfig_t* config);
ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* state);
ncclResult_t ncclCommFinalize(ncclComm_t communicator);
ncclResult_t ncclCommDestroy(ncclComm_t communicator);
ncclResult_t ncclCommAbort(ncclComm_t communicator);
const char* ncclGetErrorString(ncclResult_t result);
const char* ncclGetLastError(ncclComm_t communicator);

ncclResult_t ncclAllReduce(const void* from,
                           void* to,
                           size_t count,
                           ncclDataType_t type,
                           ncclRedOp_t operation,
                           ncclComm_t communicator,
                           cudaStream_t stream);
ncclResult_t ncclReduce(const void* from,
                        void* to,
                        size_t count,
                        ncclDataType_t type,
                        ncclRedOp_t operation,
                        int root,
                        ncclComm_t communicator,
                        cudaStream_t stream);
ncclResult_t ncclBroadcast(const void* from,
                           void* to,
                           size_t count,
                           ncclDataType_t type,
                           int root,
                           ncclComm_t communicator,
                           cudaStream_t stream);
ncclResult_t ncclAllGather(const void* from,
                           void* to,
                           size_t count,
                           ncclDataType_t type,
                           ncclComm_t communicator,
                           cudaStream_t stream);
ncclResult_t ncclSend(const void* from,
                      size_t count,
                      ncclDataType_t type,
                      int peer,
                      ncclComm_t communicator,
                      cudaStream_t stream);
ncclResult_t ncclRecv(void* to,
                      size_t count,
                      ncclDataType_t type,
                      int peer,
                      ncclComm_t communicator,
                      cudaStream_t stream);
ncclResult_t ncclGroupStart();
ncclResult_t ncclGroupEnd();
