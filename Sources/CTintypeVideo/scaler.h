// The functions used of libswscale: FUNCTION(result, name, parameters) for each. Define FUNCTION before including this
// file.

FUNCTION(unsigned, swscale_version, (void))
FUNCTION(SwsContext *, sws_getContext, (int, int, int, int, int, int, int, void *, void *, const double *))
FUNCTION(const int *, sws_getCoefficients, (int))
FUNCTION(int, sws_setColorspaceDetails, (SwsContext *, const int *, int, const int *, int, int, int, int))
FUNCTION(int, sws_scale,
    (SwsContext *, const uint8_t *const *, const int *, int, int, uint8_t *const *, const int *))
FUNCTION(void, sws_freeContext, (SwsContext *))
